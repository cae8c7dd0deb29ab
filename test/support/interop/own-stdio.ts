import { serveChannel } from '../../../src/mcp/server/index.js';
import { createStdioChannel } from '../../../src/mcp/transports/index.js';
import { createOwnServer } from './own-server.js';

serveChannel(createOwnServer(), createStdioChannel(), 'parent');

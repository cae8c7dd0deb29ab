/** The everyday server as a process: `legacy` or `modern` as its only argument. */
import { serveChannel } from '../../../src/mcp/server/index.js';
import { createStdioChannel } from '../../../src/mcp/transports/index.js';
import { withoutModernMethods } from '../era-limits.js';
import { createEverydayServer } from './create-everyday-server.js';

const era = process.argv[2] === 'modern' ? 'modern' : 'legacy';
const channel = createStdioChannel();
serveChannel(
  createEverydayServer(era).server,
  era === 'legacy' ? withoutModernMethods(channel) : channel,
  'parent',
);

/** The everyday server as a process: its era and its place are its arguments. */
import { serveChannel } from '../../../src/mcp/server/index.js';
import { createStdioChannel } from '../../../src/mcp/transports/index.js';
import { withoutModernMethods } from '../era-limits.js';
import { createEverydayServer } from './create-everyday-server.js';

const era = process.argv[2] === 'modern' ? 'modern' : 'legacy';
const channel = createStdioChannel();
serveChannel(
  createEverydayServer(era, process.argv[3] ?? '').server,
  era === 'legacy' ? withoutModernMethods(channel) : channel,
  'parent',
);

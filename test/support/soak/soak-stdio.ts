/** The soak server as a process: its era and the file it writes its calls to are its arguments. */
import { appendFileSync } from 'node:fs';
import { serveChannel } from '../../../src/mcp/server/index.js';
import { createStdioChannel } from '../../../src/mcp/transports/index.js';
import { withoutModernMethods } from '../era-limits.js';
import { createSoakServer } from './soak-server.js';

const [, , given, ledger = ''] = process.argv;
const era = given === 'modern' ? 'modern' : 'legacy';
const channel = createStdioChannel();
serveChannel(
  createSoakServer(era, (call) => appendFileSync(ledger, `${call}\n`)),
  era === 'legacy' ? withoutModernMethods(channel) : channel,
  'parent',
);

/**
 * The fixture as a program. It prints its URL as the first line and serves until SIGTERM.
 * `--port <n>` (default: any free one), `--era legacy|modern|both` (default: both), `--stdio` (instead of HTTP).
 */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import {
  createMcpServer,
  createNodeServer,
  serveChannel,
  toNodeListener,
  type McpServer,
} from '../../src/mcp/server/index.js';
import { createStdioChannel } from '../../src/mcp/transports/index.js';
import { readParamHeaders, type ParamHeader } from '../../src/mcp/wire/index.js';
import { withoutModernEra, withoutModernMethods } from './era-limits.js';
import { createFixture, type Fixture } from './fixture/index.js';

type ServedEras = 'legacy' | 'modern' | 'both';

/** Short, so that a slow call makes its client poll for the answer, as the suites want to see. */
const STREAMS = { upgradeAfterMs: 100, closeAfterMs: 400, retryMs: 200 };
const GRACE_MS = 500;

function createFixtureServer(fixture: Fixture, eras: ServedEras): McpServer {
  const paramHeaders = new Map<string, readonly ParamHeader[]>();
  for (const tool of fixture.tools) {
    const read = readParamHeaders(tool.inputSchema);
    if (read.valid) paramHeaders.set(tool.name, read.params);
  }
  return createMcpServer({
    describe: fixture.description,
    handlers: fixture.handlers,
    listen: fixture.listen,
    tasks: fixture.tasks,
    paramHeaders: (name) => paramHeaders.get(name),
    legacy: eras === 'modern' ? 'off' : 'sessions',
    streams: STREAMS,
  });
}

function readEras(text: string): ServedEras {
  if (text === 'legacy' || text === 'modern' || text === 'both') return text;
  throw new Error('--era must be legacy, modern or both');
}

function serveHttp(server: McpServer, eras: ServedEras, port: number): void {
  const listener = toNodeListener(server);
  const http = createNodeServer(eras === 'legacy' ? withoutModernEra(listener) : listener);
  http.listen(port, '127.0.0.1', () => {
    const address = http.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`);
  });
  process.once('SIGTERM', () => {
    void server.close(GRACE_MS).finally(() => {
      http.close();
      http.closeAllConnections();
    });
  });
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    era: { type: 'string', default: 'both' },
    stdio: { type: 'boolean', default: false },
  },
});
const served = readEras(values.era);
const fixtureServer = createFixtureServer(createFixture(), served);
if (!values.stdio) serveHttp(fixtureServer, served, Number(values.port));
else {
  const channel = createStdioChannel();
  serveChannel(fixtureServer, served === 'legacy' ? withoutModernMethods(channel) : channel, 'parent');
}

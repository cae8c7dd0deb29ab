import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createMcpServer, serveChannel } from '../../src/mcp/server/index.js';
import { createMemoryPair, createStdioChannel } from '../../src/mcp/transports/index.js';
import { until } from '../support/http/until.js';
import type { Parsed } from '../support/server/event-reader.js';
import { DESCRIPTION, envelope, initialize, request } from '../support/server/harness.js';

function createServer() {
  return createMcpServer({
    describe: DESCRIPTION,
    handlers: { 'tools/call': async ({ params }) => ({ content: [], got: params['arguments'] }) },
  });
}

const MODERN_CALL = request(2, 'tools/call', {
  name: 'x',
  arguments: { text: 'grüße\n' },
  _meta: envelope(),
});

test('both eras over lines of text', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const lines = (): Parsed[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const server = createServer();
  serveChannel(server, createStdioChannel({ input, output }), 'local');
  // Split inside a character.
  const bytes = Buffer.from(`${JSON.stringify(initialize())}\n${JSON.stringify(MODERN_CALL)}\nnot json\n`);
  const cut = bytes.indexOf(0xc3) + 1;
  input.write(bytes.subarray(0, cut));
  input.write(bytes.subarray(cut));
  await until(() => lines().length === 3, 'three answers');
  const byId = new Map(lines().map((each) => [each.id, each]));
  expect(byId.get('init').result.protocolVersion).toBe('2025-11-25');
  expect(byId.get(2).result).toMatchObject({ resultType: 'complete', got: { text: 'grüße\n' } });
  expect(byId.get(null).error.code).toBe(-32700);
  await server.close();
});

test('in one process, until either side leaves', async () => {
  const server = createServer();
  const pair = createMemoryPair();
  const received: Parsed[] = [];
  let closed = 0;
  serveChannel(server, pair.server, 'local');
  await pair.client.start({
    message: (message) => received.push(message),
    closed: () => closed++,
    warn: () => {},
  });
  await pair.client.send({ text: JSON.stringify(MODERN_CALL), method: 'tools/call', id: 2 });
  await until(() => received.length === 1, 'an answer');
  expect(received[0]).toMatchObject({ kind: 'result', id: 2, result: { got: { text: 'grüße\n' } } });
  await server.close();
  await until(() => closed === 1, 'the client hears of the end');
});

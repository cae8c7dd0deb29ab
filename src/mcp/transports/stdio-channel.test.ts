import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';

import { afterEach, expect, test } from 'vitest';

import { closePeers, openPeer, peerScript } from '../../../test/support/stdio/peers.js';
import { until } from '../../../test/support/stdio/recorder.js';
import { createStdioChannel, type StdioChannelLimits } from './stdio-channel.js';
import type { TransportError } from './transport.js';

const TSX = ['--import', 'tsx', peerScript('channel-echo.ts')];

afterEach(closePeers);

function openChannel(limits: Partial<StdioChannelLimits> = {}, output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const channel = createStdioChannel({ input, output, limits });
  const texts: string[] = [];
  const endings: (TransportError | undefined)[] = [];
  channel.onMessage((text) => texts.push(text));
  channel.onClose((reason) => endings.push(reason));
  return { input, output, channel, texts, endings };
}

/** A client that never reads. */
const stuck = () => new Writable({ write: () => {} });
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a server on this channel serves our client transport, both of them on pipes', async () => {
  const { call, heard, transport } = await openPeer([], {
    args: TSX,
    shutdown: { stdinMs: 10_000, termMs: 1000 },
  });
  const text = 'é'.repeat(300_000);
  await Promise.all([call(1, 'echo', { text }), call(2, 'echo', { text: 'b' })]);
  expect(await heard.answer(1)).toMatchObject({ params: { text } });
  expect(await heard.answer(2)).toMatchObject({ params: { text: 'b' } });
  const closing = transport.close();
  await closing;
  // The server noticed the end of its input, closed the channel and had nothing left to do.
  expect(transport.recentStderr()).toBe('closed\n');
});

test('a whole exchange through a shell-like pipe: input ends at once, the answer still arrives', async () => {
  const server = spawn(process.execPath, TSX, { stdio: ['pipe', 'pipe', 'ignore'] });
  let printed = '';
  server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  server.stdin.end('{"jsonrpc":"2.0","id":1,"method":"echo"}');
  await until(() => server.exitCode !== null, 'the server ends');
  await until(() => server.stdout.readableEnded, 'its output was read');
  expect(server.exitCode).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ id: 1 });
});

test('lines come in as text, also those that are no messages', async () => {
  const { input, texts } = openChannel();
  input.write('{"a":1}\r\n\nnot json\n{"b":');
  input.write('"é"}\n');
  await until(() => texts.length === 3, 'three lines');
  expect(texts).toEqual(['{"a":1}', 'not json', '{"b":"é"}']);
});

test('reading begins with the handler', async () => {
  const input = new PassThrough();
  input.write('{"early":true}\n');
  const channel = createStdioChannel({ input, output: new PassThrough() });
  await nextTurn();
  const texts: string[] = [];
  channel.onMessage((text) => texts.push(text));
  await until(() => texts.length === 1, 'the line');
  expect(texts).toEqual(['{"early":true}']);
});

test('the end of the input is told once, and answers can still be sent', async () => {
  const { input, output, channel, texts, endings } = openChannel();
  input.end('{"last":1}');
  await until(() => endings.length > 0, 'the end');
  expect([texts, endings]).toEqual([['{"last":1}'], [undefined]]);
  await channel.send('{"answer":1}');
  await Promise.all([channel.close(), channel.close()]);
  expect(String(output instanceof PassThrough ? output.read() : '')).toBe('{"answer":1}\n');
  expect(endings).toHaveLength(1);
  await expect(channel.send('{}')).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    mayHaveArrived: false,
  });
});

test('a line over the limit ends the channel with a reason', async () => {
  const { input, texts, endings } = openChannel({ lineBytes: 10 });
  input.write(`${'x'.repeat(11)}\n{}\n`);
  await until(() => endings.length > 0, 'the end');
  expect(endings[0]).toMatchObject({ code: 'STDIO_LINE_TOO_LONG' });
  await nextTurn();
  expect(texts).toEqual([]);
});

test('an answer over the limit is refused, and the channel lives on', async () => {
  const { channel, endings, output } = openChannel({ lineBytes: 10 });
  await expect(channel.send('x'.repeat(11))).rejects.toMatchObject({ code: 'STDIO_LINE_TOO_LONG' });
  await channel.send('{}');
  expect(String(output instanceof PassThrough ? output.read() : '')).toBe('{}\n');
  expect(endings).toEqual([]);
});

test('a client that does not read ends the channel when its answers fill the queue', async () => {
  const { channel, endings } = openChannel({ outputQueueBytes: 100 }, stuck());
  channel.send('x'.repeat(80)).catch(() => {});
  await expect(channel.send('y'.repeat(80))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(endings).toMatchObject([{ code: 'CONNECTION_CLOSED' }]);
});

test('closing does not wait for ever for a client that does not read', async () => {
  const { channel } = openChannel({}, stuck());
  channel.send('{}').catch(() => {});
  const from = performance.now();
  await channel.close();
  expect(performance.now() - from).toBeLessThan(5000);
});

test('an output that breaks ends the channel; who asks later is told too', async () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const { channel, endings } = openChannel({}, output);
  await expect(channel.send('{}')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED', mayHaveArrived: true });
  expect(endings).toMatchObject([{ code: 'CONNECTION_CLOSED' }]);
  const late: unknown[] = [];
  channel.onClose((reason) => late.push(reason));
  await nextTurn();
  expect(late).toMatchObject([{ code: 'CONNECTION_CLOSED' }]);
});

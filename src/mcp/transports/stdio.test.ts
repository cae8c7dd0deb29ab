import { afterEach, expect, test } from 'vitest';

import { closePeers, faultOf, openPeer, peerScript } from '../../../test/support/stdio/peers.js';
import { Recorder, until } from '../../../test/support/stdio/recorder.js';
import { StdioTransport } from './stdio.js';
import { TransportError } from './transport.js';

const MIB = 1024 * 1024;

afterEach(closePeers);

test('requests go out and answers come back, many at once', async () => {
  const { call, heard } = await openPeer(['echo.mjs']);
  const ids = Array.from({ length: 500 }, (_, index) => index + 1);
  await Promise.all(ids.map((id) => call(id, 'echo', { text: `grüße 😀 ${id}` })));
  const answers = await Promise.all(ids.map((id) => heard.answer(id)));
  expect(answers).toEqual(ids.map((id) => ({ text: `grüße 😀 ${id}` })));
  expect(heard.endings).toEqual([]);
});

test('large messages pass in both directions', async () => {
  const { call, heard } = await openPeer(['echo.mjs']);
  const text = 'é'.repeat(MIB);
  await call(1, 'echo', { text });
  expect(await heard.answer(1)).toEqual({ text });
});

test.each([
  ['garbage-first', ['hello'], 2],
  ['garbage-between', ['a', 'b'], 3],
  ['crlf', ['a', 'b'], 0],
  ['byte-order-mark', ['a'], 0],
  ['batch', ['a', 'b'], 0],
  ['split-utf8', ['grüße 😀'], 0],
  ['slow-start', ['hello'], 0],
])('C50, P-3: %s', async (kind, methods, skipped) => {
  const { heard, transport } = await openPeer(['noise.mjs', kind]);
  await until(
    () => heard.messages.length >= methods.length && transport.skippedLines >= skipped,
    'all lines',
  );
  expect(heard.methods).toEqual(methods);
  expect(transport.skippedLines).toBe(skipped);
  expect(heard.warnings).toHaveLength(skipped);
  expect(heard.endings).toEqual([]);
});

test('P-3: too many bad lines in a row end the child', async () => {
  const fine = await openPeer(['noise.mjs', 'bad-lines', '999']);
  await until(() => fine.transport.skippedLines === 999, 'all lines');
  expect(fine.heard.warnings.length).toBeLessThan(60);
  const bad = await openPeer(['noise.mjs', 'bad-lines', '1500']);
  expect(await bad.heard.ending()).toMatchObject({ code: 'STDIO_EXITED' });
  expect(bad.transport.skippedLines).toBe(1000);
  expect(fine.heard.endings).toEqual([]);
});

test('P-4: a line over the limit ends the child', async () => {
  const { heard } = await openPeer(['noise.mjs', 'huge-line', '5000'], { limits: { lineBytes: 4096 } });
  const error = await heard.ending();
  expect(error).toMatchObject({ code: 'STDIO_LINE_TOO_LONG', mayHaveArrived: true });
  expect(heard.messages).toEqual([]);
});

test('P-4: a flood without a line end stays within the memory of the limit', async () => {
  const before = process.memoryUsage().rss;
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss - before);
  }, 2);
  try {
    const { heard, transport } = await openPeer(['noise.mjs', 'newline-less-flood']);
    expect(await heard.ending()).toMatchObject({ code: 'STDIO_LINE_TOO_LONG' });
    await transport.close();
  } finally {
    clearInterval(sampling);
  }
  expect(peak).toBeLessThan(32 * MIB);
});

test('P-4: an unfinished line and the exit are both noticed', async () => {
  const { heard, transport } = await openPeer(['noise.mjs', 'partial-line']);
  expect(await heard.ending()).toMatchObject({ code: 'STDIO_EXITED', exitCode: 3 });
  expect(transport.skippedLines).toBe(1);
});

test('P-1: a child that exits at once says so, and its stderr can be read', async () => {
  const { heard, transport } = await openPeer(['stubborn.mjs', 'exits-at-once']);
  const error = await heard.ending();
  expect(error).toMatchObject({
    code: 'STDIO_EXITED',
    exitCode: 1,
    message: 'the process exited with code 1',
  });
  expect(transport.recentStderr()).toBe('cannot start: no licence\n');
  expect(await faultOf(transport.send({ text: '{}', method: 'x' }))).toMatchObject({
    code: 'STDIO_EXITED',
    exitCode: 1,
    mayHaveArrived: false,
  });
});

test.each([
  ['exit', { code: 7 }, 'the process exited with code 7', 7],
  ['segv', {}, 'the process was ended by SIGSEGV', undefined],
])('P-2: %s in the middle of a call', async (method, params, message, exitCode) => {
  const { call, heard } = await openPeer(['echo.mjs']);
  await call(1, 'silence');
  await call(2, method, params);
  const error = await heard.ending();
  expect({ code: error.code, message: error.message, exitCode: error.exitCode }).toEqual({
    code: 'STDIO_EXITED',
    message,
    exitCode,
  });
  expect(error.mayHaveArrived).toBe(true);
  await heard.ending();
  expect(heard.endings).toHaveLength(1);
});

test('what a child wrote before it exited is delivered first, also without a line end', async () => {
  const { call, heard, transport } = await openPeer(['echo.mjs']);
  await call(1, 'farewell');
  expect(await heard.ending()).toMatchObject({ exitCode: 4 });
  expect(heard.methods).toEqual(['last words']);
  expect(transport.recentStderr()).toBe('going down\n');
});

test('P-9: a child that closes its output is over', async () => {
  const { heard } = await openPeer(['stubborn.mjs', 'closes-output']);
  expect(await heard.ending()).toMatchObject({
    code: 'STDIO_EXITED',
    message: 'the process closed its output',
  });
});

test('P-9: a child that closes its input is over at the next write', async () => {
  const { call, heard } = await openPeer(['stubborn.mjs', 'closes-input']);
  await heard.notification('hello');
  expect(await faultOf(call(1, 'echo'))).toMatchObject({ code: 'STDIO_EXITED' });
  expect(await heard.ending()).toMatchObject({
    code: 'STDIO_EXITED',
    message: 'the process closed its input',
  });
});

test('B3.9, P-9: a child that stops reading fills the queue, then calls fail at once and memory stays flat', async () => {
  const { call, heard, transport } = await openPeer(['stubborn.mjs', 'never-reads']);
  await heard.notification('hello');
  const text = 'x'.repeat(32 * 1024);
  const sending: Promise<unknown>[] = [];
  let refused = 0;
  for (let id = 1; id <= 200; id++) {
    sending.push(
      call(id, 'echo', { text }).catch((error: unknown) => {
        if (error instanceof TransportError && error.code === 'STDIO_STDIN_FULL' && !error.mayHaveArrived)
          refused++;
        return error;
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(refused).toBeGreaterThan(100);
  await transport.close();
  const outcomes = (await Promise.all(sending)).filter((outcome) => outcome instanceof TransportError);
  const unwritten = outcomes.filter((error) => error.code === 'CONNECTION_CLOSED' && !error.mayHaveArrived);
  expect(unwritten.length).toBeGreaterThan(10);
  expect(heard.endings).toEqual([]);
});

test('a line that was not written when the child died has certainly not arrived', async () => {
  const { call, heard, transport } = await openPeer(['stubborn.mjs', 'never-reads']);
  await heard.notification('hello');
  const stuck = faultOf(call(1, 'echo', { text: 'x'.repeat(600_000) }));
  await new Promise((resolve) => setImmediate(resolve));
  const order: string[] = [];
  const waiting = faultOf(call(2, 'echo')).then((error) => {
    order.push('send failed');
    return error;
  });
  heard.closed = () => order.push('closed');
  process.kill(transport.pid!, 'SIGKILL');
  expect(await stuck).toMatchObject({ code: 'STDIO_EXITED', mayHaveArrived: true });
  expect(await waiting).toMatchObject({ code: 'STDIO_EXITED', mayHaveArrived: false });
  await until(() => order.length === 2, 'both');
  expect(order).toEqual(['send failed', 'closed']);
});

test('starting twice, sending before the start and after the end are refused', async () => {
  const transport = new StdioTransport({ command: process.execPath, args: [peerScript('echo.mjs')] });
  const message = { text: '{}', method: 'x' };
  expect(await faultOf(transport.send(message))).toMatchObject({
    code: 'CONNECTION_CLOSED',
    mayHaveArrived: false,
  });
  await transport.start(new Recorder());
  expect(await faultOf(transport.start(new Recorder()))).toMatchObject({ code: 'CONNECTION_CLOSED' });
  await transport.close();
  expect(await faultOf(transport.send(message))).toMatchObject({
    code: 'CONNECTION_CLOSED',
    mayHaveArrived: false,
  });
  const closedEarly = new StdioTransport({ command: process.execPath });
  await closedEarly.close();
  expect(await faultOf(closedEarly.start(new Recorder()))).toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test('an aborted message is not sent', async () => {
  const { heard, transport, call } = await openPeer(['echo.mjs']);
  const text = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}';
  const sending = transport.send({ text, method: 'echo', id: 1, signal: AbortSignal.abort() });
  expect(await faultOf(sending)).toMatchObject({ code: 'ABORTED', mayHaveArrived: false });
  await call(2, 'echo', {});
  await heard.answer(2);
  expect(heard.messages).toHaveLength(1);
});

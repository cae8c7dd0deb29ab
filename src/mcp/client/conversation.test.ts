import { describe, expect, test } from 'vitest';
import { ManualClock, settle } from '../../../test/support/client/manual-clock.js';
import {
  failure,
  info,
  openClient,
  openLegacy,
  openModern,
} from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  modernScript,
  ScriptedTransport,
  SILENCE,
} from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import { connect } from './index.js';

const OK = { content: [{ type: 'text', text: 'ok' }] };

describe('ids and answers', () => {
  test('C15: ids count up from zero and are never used twice', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': OK });
    await Promise.all([client.callTool('a'), client.callTool('b')]);
    await client.callTool('c');
    expect(wire.sent.map((sent) => sent.id)).toEqual([0, undefined, 1, 2, 3]);
  });

  test('C27: answers in any order reach the calls they name', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const calls = ['a', 'b', 'c'].map((name) => client.callTool(name));
    for (const sent of wire.of('tools/call').toReversed()) {
      wire.answer(sent.id!, { content: [], structuredContent: sent.params['name'] });
    }
    const results = await Promise.all(calls);
    expect(results.map((result) => result.structuredContent)).toEqual(['a', 'b', 'c']);
  });

  test('C27, D19: over a pipe too an id that comes back as text is ours, with a warning', async () => {
    const { client, wire, warnings } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const calls = [client.callTool('a'), client.callTool('b')];
    const [first, second] = wire.of('tools/call');
    wire.answer(String(second!.id), new ProtocolError(-32000, 'no'));
    wire.answer(String(first!.id), OK);
    await expect(calls[0]).resolves.toMatchObject(OK);
    await expect(calls[1]).rejects.toMatchObject({ code: -32000 });
    expect(warnings.map((warning) => warning.code)).toEqual(['wrong_id_type', 'wrong_id_type']);
  });

  test('U-13: an answer that is no message fails its call at once, and no other', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const calls = [client.callTool('a'), client.callTool('b')];
    const [first, second] = wire.of('tools/call');
    wire.answerBadly(first!.id!);
    wire.answerBadly(99);
    wire.answer(second!.id!, OK);
    await expect(calls[0]).rejects.toMatchObject({ code: 'invalid_response' });
    await expect(calls[1]).resolves.toMatchObject(OK);
  });

  test('C27: an answer under another id is counted and resolves nothing', async () => {
    const { client, wire, warnings } = await openLegacy({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const call = client.callTool('a');
    let settled = false;
    void call.finally(() => {
      settled = true;
    });
    const { id } = wire.of('tools/call')[0]!;
    for (const wrong of [`0${id}`, 77, 'x']) wire.answer(wrong, OK);
    wire.answer('x', new ProtocolError(-32000, 'not yours'));
    await settle();
    expect(settled).toBe(false);
    expect(client.unknownAnswers).toBe(4);
    expect(warnings.map((warning) => warning.code)).toEqual(Array(4).fill('unknown_answer'));
    wire.answer(id!, OK);
    await call;
    wire.answer(id!, OK);
    expect(client.unknownAnswers).toBe(5);
  });

  test("the peer's error arrives as it is", async () => {
    const { client } = await openLegacy(
      {},
      { 'tools/call': new ProtocolError(-32602, 'Unknown tool', { name: 'a' }) },
    );
    const error = await failure(client.callTool('a'));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ code: -32602, message: 'Unknown tool', data: { name: 'a' } });
  });

  test.each([[null], ['text'], [3], [[]]])('a result of %j is an invalid response', async (result) => {
    const { client } = await openLegacy({}, { 'tools/call': result });
    expect(await failure(client.callTool('a'))).toMatchObject({
      code: 'invalid_response',
      mayHaveArrived: true,
    });
  });

  test('over HTTP an exchange that ends without an answer ends the call', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE });
    const call = failure(client.callTool('a'));
    wire.endExchange(wire.of('tools/call')[0]!.id!);
    expect(await call).toMatchObject({ code: 'invalid_response' });
  });

  test('an error without an id on the stream of a request belongs to it', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE });
    const call = failure(client.callTool('a'));
    const { id } = wire.of('tools/call')[0]!;
    wire.emit({ kind: 'error', id: undefined, error: { code: -32700, message: 'Parse error' } }, id);
    expect(await call).toMatchObject({ name: 'ProtocolError', code: -32700 });
  });

  test('a fault of the wire keeps what is known about its effect', async () => {
    const fault = new TransportError('CONNECTION_CLOSED', 'gone');
    const { client, wire } = await openLegacy({}, { 'tools/call': fault });
    expect(await failure(client.callTool('a'))).toBe(fault);
    expect(fault.mayHaveArrived).toBe(true);
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  test('results are returned as received', async () => {
    const result = {
      content: [{ type: 'text', text: 'x', extra: 1 }],
      vendor: { a: [1] },
      _meta: { k: 'v' },
    };
    const { client } = await openLegacy({}, { 'tools/call': result });
    expect(await client.callTool('a')).toEqual(result);
    const claims = await openLegacy({}, { 'tools/call': { ...result, resultType: 'input_required' } });
    expect(await claims.client.callTool('a')).toEqual(result);
    const modern = await openModern({}, { 'tools/call': { ...result, resultType: 'complete' } });
    expect(await modern.client.callTool('a')).toEqual({ ...result, resultType: 'complete' });
  });
});

describe('deadlines and cancellation', () => {
  test('C20, C21: a legacy request that takes too long is cancelled and its late answer ignored', async () => {
    for (const kind of ['http', 'stdio'] as const) {
      const { client, wire, clock } = await openLegacy({}, { 'tools/call': SILENCE }, {}, kind);
      const call = failure(client.callTool('slow', {}, { timeoutMs: 500 }));
      await clock.advance(498);
      expect(wire.of('notifications/cancelled')).toHaveLength(0);
      await clock.advance(2);
      expect(await call).toMatchObject({ name: 'ClientError', code: 'timeout', mayHaveArrived: true });
      const [request] = wire.of('tools/call');
      const [cancelled] = wire.of('notifications/cancelled');
      expect(cancelled!.params).toEqual({ requestId: request!.id, reason: 'timeout' });
      expect(request!.aborted).toBe(kind === 'http');
      wire.answer(request!.id!, OK);
      expect(client.unknownAnswers).toBe(1);
    }
  });

  test('C22: a modern request is taken back by closing its stream over HTTP, by a message elsewhere', async () => {
    const http = await openModern({}, { 'tools/call': SILENCE });
    const abort = new AbortController();
    const call = failure(http.client.callTool('slow', {}, { signal: abort.signal }));
    abort.abort();
    expect(await call).toMatchObject({ code: 'aborted', mayHaveArrived: true });
    expect(http.wire.of('tools/call')[0]!.aborted).toBe(true);
    expect(http.wire.of('notifications/cancelled')).toHaveLength(0);
    const stdio = await openModern({}, { 'tools/call': SILENCE }, {}, 'stdio');
    const again = failure(stdio.client.callTool('slow', {}, { timeoutMs: 10 }));
    await stdio.clock.advance(11);
    expect(await again).toMatchObject({ code: 'timeout' });
    expect(stdio.wire.of('notifications/cancelled')[0]!.params).toMatchObject({
      requestId: stdio.wire.of('tools/call')[0]!.id,
    });
  });

  test('an abort before sending sends nothing', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': OK });
    expect(await failure(client.callTool('a', {}, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      mayHaveArrived: false,
    });
    expect(wire.of('tools/call')).toHaveLength(0);
  });

  test('an abort after the answer does nothing', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': OK });
    const abort = new AbortController();
    await client.callTool('a', {}, { signal: abort.signal });
    abort.abort();
    await settle();
    expect(wire.of('notifications/cancelled')).toHaveLength(0);
  });

  test('who listens in another way than by a signal is heard before, during and after the call', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE });
    const listeners: (() => void)[] = [];
    const onAbort = (listener: () => void): void => void listeners.push(listener);
    const signal = {
      get signal(): AbortSignal {
        throw new Error('nothing has to wait, so no signal is needed');
      },
    };
    const waiting = failure(
      client.callTool('a', {}, Object.assign(Object.create(signal) as object, { onAbort })),
    );
    await settle();
    listeners[0]!();
    expect(await waiting).toMatchObject({ code: 'aborted', mayHaveArrived: true });
    expect(wire.of('notifications/cancelled')).toHaveLength(1);
    const early = failure(client.callTool('a', {}, { onAbort: (listener) => listener() }));
    expect(await early).toMatchObject({ code: 'aborted', mayHaveArrived: false });
    expect(wire.of('tools/call')).toHaveLength(1);
    listeners[0]!();
    await settle();
    expect(wire.of('notifications/cancelled')).toHaveLength(1);
  });

  test('many deadlines need one timer', async () => {
    const { client, wire, clock } = await openLegacy({}, { 'tools/call': SILENCE });
    const calls = Array.from({ length: 50 }, () => failure(client.callTool('a')));
    expect(clock.waiting).toBe(1);
    const short = failure(client.callTool('b', {}, { timeoutMs: 5 }));
    expect(clock.waiting).toBe(1);
    await clock.advance(6);
    expect(await short).toMatchObject({ code: 'timeout' });
    expect(wire.of('notifications/cancelled')).toHaveLength(1);
    await clock.advance(30_000);
    expect(await Promise.all(calls)).toHaveLength(50);
    expect(wire.of('notifications/cancelled')).toHaveLength(51);
    // What the peer may still ask about is remembered for a minute.
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  });

  test('closing fails what is pending and can be done twice', async () => {
    const { client, wire, clock } = await openLegacy({}, { 'tools/call': SILENCE });
    const call = failure(client.callTool('a'));
    await Promise.all([client.close(), client.close()]);
    expect(await call).toMatchObject({ code: 'closed' });
    expect(await failure(client.callTool('b'))).toMatchObject({ code: 'closed' });
    expect(wire.closes).toBeGreaterThan(0);
    expect(clock.waiting).toBe(0);
    wire.answer(1, OK);
    wire.notify('notifications/message', { level: 'info', data: 'late' });
  });
});

test('U-16: a cancellation of the server for a request of ours is ignored', async () => {
  const { client, wire } = await openLegacy({}, { 'tools/call': SILENCE });
  const call = client.callTool('a');
  const { id } = wire.of('tools/call')[0]!;
  wire.notify('notifications/cancelled', { requestId: id! });
  wire.answer(id!, OK);
  expect(await call).toEqual(OK);
});

test('notify sends what expects no answer', async () => {
  const { client, wire } = await openClient('http', [legacyScript()], { era: 'legacy' });
  await client.notify('notifications/roots/list_changed');
  expect(wire.sent.at(-1)!.message).toEqual({
    kind: 'notification',
    method: 'notifications/roots/list_changed',
    params: undefined,
  });
});

test('what comes before the handshake is over is heard as far as it can be', async () => {
  const heard: unknown[] = [];
  const early = (_sent: unknown, wire: ScriptedTransport) => {
    wire.notify('notifications/message', { level: 'info', data: 'starting' });
    wire.notify('notifications/tools/list_changed');
    wire.notify('notifications/progress', { progressToken: 0, progress: 1 });
    return { protocolVersion: '2025-11-25', capabilities: {} };
  };
  const { client } = await openClient('stdio', [{ initialize: early }], {
    era: 'legacy',
    onLog: ({ data }) => heard.push(data),
    onListChanged: (list) => heard.push(list),
  });
  expect(client.server.info).toEqual({ name: '', version: '' });
  expect(heard).toEqual(['starting', 'tools']);
});

test('a notification that is not taken in time is given up', async () => {
  const wire = new ScriptedTransport('http', {
    ...legacyScript(),
    'notifications/initialized': () => new Promise(() => {}),
  });
  const clock = new ManualClock();
  const waiting = failure(connect({ info, era: 'legacy', transport: wire, clock }));
  await clock.advance(30_000);
  expect(await waiting).toMatchObject({
    code: 'timeout',
    message: 'notifications/initialized took too long',
  });
  expect(wire.closes).toBe(1);
});

test('a call that waits for input while the process is replaced does not disturb others when it is given up', async () => {
  const form = { method: 'elicitation/create', params: { message: '?' } };
  const asks = { resultType: 'input_required', inputRequests: { a: form } };
  const { client, transports } = await openClient(
    'stdio',
    [modernScript({}, { 'tools/call': asks }), modernScript({}, { 'tools/call': SILENCE })],
    { era: 'modern', handlers: { elicitation: () => new Promise(() => {}) } },
  );
  const abort = new AbortController();
  const first = failure(client.callTool('a', {}, { signal: abort.signal }));
  await settle();
  transports[0]!.crash();
  const second = client.callTool('b');
  await settle();
  const [sent] = transports[1]!.of('tools/call');
  expect(sent!.id).toBe(transports[0]!.of('tools/call')[0]!.id);
  abort.abort();
  expect(await first).toMatchObject({ code: 'aborted' });
  transports[1]!.answer(sent!.id!, OK);
  expect(await second).toEqual(OK);
});

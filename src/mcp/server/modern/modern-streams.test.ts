import { describe, expect, test } from 'vitest';
import { Gate, Harness } from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

describe('streams', () => {
  test('S17 S19 S48: a stream only when something goes first', async () => {
    const harness = new Harness({
      call: async (request) => {
        expect(request.wantsProgress).toBe(true);
        for (const progress of [0, 1, 1, 0.5, 2]) request.progress({ progress, total: 2, message: 'm' });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 'p' } },
    );
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.headers.get('cache-control')).toContain('no-cache, no-transform');
    expect(reader.headers.get('x-accel-buffering')).toBe('no');
    const messages = await reader.rest();
    expect(messages.slice(0, -1).map((message) => message.params)).toEqual(
      [0, 1, 2].map((progress) => ({ progressToken: 'p', progress, total: 2, message: 'm' })),
    );
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(reader.raw).not.toContain('id: ');
  });

  test('S48: nothing without a token', async () => {
    const harness = new Harness({
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern('tools/call', { name: 'echo' });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  test('S48: nothing after the answer', async () => {
    let late: (() => void) | undefined;
    const harness = new Harness({
      call: (request) => {
        late = () => request.progress({ progress: 2 });
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    late?.();
    expect(await reader.rest()).toHaveLength(2);
  });

  test('S48: too many a second are dropped', async () => {
    const harness = new Harness({
      limits: { notificationsPerSecond: 3 },
      clock: () => 1000,
      call: (request) => {
        for (let progress = 1; progress <= 5; progress++) request.progress({ progress });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(await reader.rest()).toHaveLength(4);
    expect(harness.events.filter((event) => event.type === 'notification_dropped')).toHaveLength(2);
  });

  test.each([
    ['warning', ['warning', 'error']],
    ['debug', ['debug', 'warning', 'error']],
    [undefined, []],
  ])('S49: log level %s', async (level, heard) => {
    const harness = new Harness({
      call: (request) => {
        for (const each of ['debug', 'warning', 'error'] as const)
          request.log({ level: each, logger: 'l', data: { a: 1 } });
        return { content: [] };
      },
    });
    const meta = level === undefined ? {} : { [LOG_LEVEL]: level };
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta });
    if (heard.length === 0) {
      expect(reader.headers.get('content-type')).toBe('application/json');
      return;
    }
    const messages = await reader.rest();
    expect(messages.slice(0, -1).map((message) => message.params)).toEqual(
      heard.map((each) => ({ level: each, logger: 'l', data: { a: 1 } })),
    );
  });

  test('S18: a client that accepts JSON only gets JSON, and messages are dropped', async () => {
    const harness = new Harness({
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 1 }, headers: { accept: 'application/json' } },
    );
    expect(answer.body.result.resultType).toBe('complete');
    expect(harness.events).toContainEqual({ type: 'notification_dropped', reason: 'unheard' });
  });

  test('JSON-only mode', async () => {
    const harness = new Harness({
      streaming: 'off',
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(
      (await harness.modern('tools/list', {}, { headers: { accept: 'text/event-stream' } })).status,
    ).toBe(406);
    expect((await harness.modern('subscriptions/listen', { notifications: {} })).status).toBe(404);
  });

  test('S46 R-19: closing the stream cancels', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async (request) => {
        request.progress({ progress: 1 });
        request.signal.addEventListener('abort', gate.open);
        await gate.passed;
        request.progress({ progress: 2 });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    await reader.message();
    await reader.cancel();
    await gate.passed;
    // Neither what came after, nor the answer, was an attempt to reach the client.
    expect(harness.events).toEqual([]);
  });

  test('S46: so does leaving before there is any answer', async () => {
    const gate = new Gate();
    let begun = false;
    const harness = new Harness({
      call: async (request) => {
        begun = true;
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        expect(request.signal.aborted).toBe(true);
        gate.open();
        return { content: [] };
      },
    });
    const abort = new AbortController();
    const answer = harness.modernStream('tools/call', { name: 'echo' }, { signal: abort.signal });
    answer.catch(() => {});
    await until(() => begun, 'the handler runs');
    abort.abort();
    await gate.passed;
  });

  test('an answer that takes long becomes a stream and is kept alive', async () => {
    const gate = new Gate();
    const harness = new Harness({
      streams: { upgradeAfterMs: 20, keepAliveMs: 20 },
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' });
    while (!/keep-alive[^]*keep-alive/.test(reader.raw)) await reader.more();
    gate.open();
    expect(await reader.message()).toMatchObject({ id: 1, result: { content: [] } });
    expect(await reader.next()).toBeUndefined();
  });

  test('1.6.9: a late -32021 has status 400 while nothing was sent, and none after', async () => {
    const error = new ProtocolError(-32021, 'Needs sampling', { requiredCapabilities: { sampling: {} } });
    const harness = new Harness({
      call: async (request) => {
        request.progress({ progress: 1 });
        throw error;
      },
    });
    const early = await harness.modern('tools/call', { name: 'echo' });
    expect([early.status, early.body.error.data]).toEqual([400, { requiredCapabilities: { sampling: {} } }]);
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(reader.status).toBe(200);
    expect((await reader.rest()).at(-1).error.code).toBe(-32021);
  });
});

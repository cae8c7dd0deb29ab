import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareResult, type JsonObject } from '../../src/mcp/server/index.js';
import { until } from '../support/http/until.js';
import { envelope, Gate, initialize, MODERN, request } from '../support/server/harness.js';
import { FRONTS, LiveServers, rawCall, rawPost } from '../support/server/live-server.js';

const servers = new LiveServers();
const { open } = servers;
afterEach(() => servers.close());

const INIT = JSON.stringify(initialize());

describe.each(FRONTS)('streams over sockets, by $way', (front) => {
  beforeEach(() => {
    servers.fastFront = front.fastFront;
  });

  test('S46 R-19: a client that goes away cancels its modern call', async () => {
    let begun = 0;
    let aborted = 0;
    const live = await open({
      call: async (r) => {
        begun++;
        r.progress({ progress: 1 });
        await new Promise<void>((resolve) =>
          r.signal.addEventListener('abort', () => {
            aborted++;
            resolve();
          }),
        );
        return { content: [] };
      },
    });
    const streaming = live.connect();
    streaming.write(rawCall(1, {}, { progressToken: 1 }));
    await streaming.until((received) => received.includes('notifications/progress'));
    await streaming.close();
    await until(() => aborted === 1, 'the streaming call is cancelled');
    const silent = live.connect();
    silent.write(rawCall(2));
    await until(() => begun === 2, 'the silent call runs');
    await silent.close();
    await until(() => aborted === 2, 'the silent call is cancelled');
    expect(live.events).toEqual([]);
  });

  test('S19: events arrive one by one, while the call goes on', async () => {
    const gates = [new Gate(), new Gate()];
    const live = await open({
      call: async (r) => {
        for (const [n, gate] of gates.entries()) {
          r.progress({ progress: n });
          await gate.passed;
        }
        return { content: [] };
      },
    });
    const connection = live.connect();
    connection.write(rawCall(1, {}, { progressToken: 1 }));
    await connection.until((received) => received.includes('"progress":0'));
    expect(connection.received).toContain('content-type: text/event-stream');
    gates[0]?.open();
    await connection.until((received) => received.includes('"progress":1'));
    gates[1]?.open();
    await connection.until((received) => received.endsWith('0\r\n\r\n'));
  });

  test('S19: what is said at once arrives whole and in order, with the answer behind it', async () => {
    const steps = Array.from({ length: 20 }, (_, i) => i + 1);
    const live = await open({
      call: async (r) => {
        for (const progress of steps) r.progress({ progress, total: 20, message: `Schritt „${progress}“` });
        await Promise.resolve();
        return { content: [] };
      },
    });
    const connection = live.connect();
    connection.write(rawCall(1, {}, { progressToken: 'p' }));
    await connection.until((received) => received.endsWith('0\r\n\r\n'));
    const text = Buffer.from(connection.received, 'latin1').toString();
    const said = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as object);
    expect(said).toEqual([
      ...steps.map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress, total: 20, message: `Schritt „${progress}“` },
      })),
      expect.objectContaining({ id: 1 }),
    ]);
    // One chunk and the last, empty one.
    if (front.fastFront) expect(text.match(/^[0-9a-f]+\r$/gm)).toHaveLength(2);
  });

  test.each([
    ['that many get', 'ä', prepareResult],
    ['of ASCII', 'x', (result: JsonObject) => result],
    ['of other text', '„ä“', (result: JsonObject) => result],
  ] as const)('a long result %s is whole for each, behind its own id', async (_, letters, prepare) => {
    const text = letters.repeat(100_000);
    const result = prepare({ content: [{ type: 'text', text }] });
    const live = await open({ call: () => result });
    const connection = live.connect();
    for (const id of [1, 2]) {
      connection.write(rawCall(id));
      const answer = await connection.response();
      const told = JSON.parse(answer?.body ?? '') as { id: number; result: { content: { text: string }[] } };
      expect([told.id, told.result.content[0]?.text === text]).toEqual([id, true]);
    }
  });

  test('H-40: readers that never read do not hold up others', async () => {
    const live = await open({ server: { limits: { maxStreamBytes: 64 * 1024 } } });
    const readers = Array.from({ length: 5 }, () => live.connect());
    for (const [id, reader] of readers.entries()) {
      reader.socket.pause();
      const body = JSON.stringify(
        request(id, 'subscriptions/listen', {
          notifications: { resourceSubscriptions: ['a:b'] },
          _meta: envelope(),
        }),
      );
      reader.write(rawPost(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'subscriptions/listen' }));
    }
    let sent = 0;
    const padding = 'x'.repeat(10_000);
    while (live.events.filter((event) => event.type === 'stream_stalled').length < 5 && sent++ < 5000) {
      live.notifier.notify({ method: 'notifications/resources/updated', params: { uri: 'a:b', padding } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(live.events.filter((event) => event.type === 'stream_stalled')).toHaveLength(5);
    const good = live.connect();
    const before = performance.now();
    good.write(rawPost(INIT));
    expect((await good.response())?.status).toBe(200);
    expect(performance.now() - before).toBeLessThan(1000);
  });

  test('S74: a legacy call goes on without its client, and its answer can be fetched', async () => {
    const gate = new Gate();
    const live = await open({
      call: async (r) => {
        r.progress({ progress: 1 });
        await gate.passed;
        expect(r.signal.aborted).toBe(false);
        return { content: [], late: true };
      },
    });
    const init = await fetch(live.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: INIT,
    });
    const session = { 'Mcp-Session-Id': init.headers.get('mcp-session-id') ?? '' };
    await init.text();
    const connection = live.connect();
    connection.write(
      rawPost(
        JSON.stringify(request(1, 'tools/call', { name: 'echo', _meta: { progressToken: 1 } })),
        session,
      ),
    );
    await connection.until((received) => received.includes('"progress":1'));
    const id = /id: (\S+)\nevent: message/.exec(connection.received)?.[1] ?? '';
    await connection.close();
    gate.open();
    const resumed = await fetch(live.url, {
      headers: { ...session, accept: 'text/event-stream', 'last-event-id': id },
    });
    expect(await resumed.text()).toContain('"late":true');
  });

  test('S22: a standing stream hears of changes, ends with its session, and leaves its connection for the next request', async () => {
    const live = await open();
    let throughNode = 0;
    live.http.on('request', () => throughNode++);
    const [calls, stream] = [live.connect(), live.connect()];
    calls.write(rawPost(INIT));
    const session = /mcp-session-id: (\S+)/.exec(
      (await calls.until((text) => text.includes('}'))) ?? '',
    )?.[1];
    const headers = { 'Mcp-Session-Id': session ?? '', 'MCP-Protocol-Version': '2025-11-25' };
    calls.write(rawPost('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers));
    await calls.until((text) => text.includes('HTTP/1.1 202'));
    const bare = (method: string): string =>
      rawPost('', { ...headers, 'Content-Type': '', 'Content-Length': '' }).replace('POST', method);
    stream.write(bare('GET'));
    await stream.until((text) => text.includes('\r\n\r\n'));
    expect(stream.received).toMatch(/^HTTP\/1\.1 200 [^]*content-type: text\/event-stream/);
    live.notifier.notify({ method: 'notifications/tools/list_changed' });
    await stream.until((text) => text.includes('notifications/tools/list_changed'));
    calls.write(bare('DELETE'));
    await stream.until((text) => text.endsWith('0\r\n\r\n'));
    stream.received = '';
    stream.write(rawCall(1));
    expect([(await stream.response())?.status, throughNode]).toEqual([200, front.fastFront ? 0 : 5]);
  });

  test('many connections at once', async () => {
    const live = await open({
      call: async ({ params }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { content: [], got: params['arguments'] };
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const connection = live.connect();
        connection.write(rawCall(n, { n }));
        return JSON.parse((await connection.response())?.body ?? '');
      }),
    );
    expect(answers.map((answer) => [answer.id, answer.result.got.n])).toEqual(answers.map((_, n) => [n, n]));
  });
});

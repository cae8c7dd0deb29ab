import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { envelope, Gate, initialize, MODERN, request } from '../support/server/harness.js';
import { LiveServer, rawPost, type LiveOptions } from '../support/server/live-server.js';

const opened: LiveServer[] = [];
async function open(options: LiveOptions = {}): Promise<LiveServer> {
  const live = await LiveServer.open(options);
  opened.push(live);
  return live;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((live) => live.close()));
});

const INIT = JSON.stringify(initialize());

function modernCall(id: number, args: object = {}, meta: object = {}): string {
  const body = JSON.stringify(
    request(id, 'tools/call', { name: 'echo', arguments: args, _meta: { ...envelope(), ...meta } }),
  );
  return rawPost(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' });
}

describe('framing', () => {
  test('H-35 D5: one byte per packet', async () => {
    const live = await open();
    const connection = live.connect();
    for (const byte of Buffer.from(rawPost(INIT))) {
      connection.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await connection.response())?.status).toBe(200);
  });

  test('a body split inside a character', async () => {
    const live = await open();
    const connection = live.connect();
    const bytes = Buffer.from(modernCall(1, { text: 'grüße \u{1F600}' }));
    const cut = bytes.indexOf(0xf0) + 2;
    connection.write(bytes.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    connection.write(bytes.subarray(cut));
    expect(JSON.parse((await connection.response())?.body ?? '').result.got).toEqual({
      text: 'grüße \u{1F600}',
    });
  });

  test('H-22: pipelined requests are answered in order', async () => {
    const gate = new Gate();
    const live = await open({
      call: async ({ params }) => {
        if (params['arguments'] !== undefined && 'wait' in (params['arguments'] as object)) await gate.passed;
        return { content: [] };
      },
    });
    const connection = live.connect();
    connection.write(modernCall(1, { wait: 1 }) + modernCall(2) + modernCall(3));
    await new Promise((resolve) => setTimeout(resolve, 20));
    gate.open();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(JSON.parse((await connection.response())?.body ?? '').id);
    expect(ids).toEqual([1, 2, 3]);
  });

  test('S8: chunked bodies are read', async () => {
    const live = await open();
    const connection = live.connect();
    const half = Math.floor(INIT.length / 2);
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    connection.write(rawPost('', { 'Content-Length': '', 'Transfer-Encoding': 'chunked' }));
    connection.write(chunk(INIT.slice(0, half)));
    await new Promise((resolve) => setImmediate(resolve));
    connection.write(chunk(INIT.slice(half)));
    connection.write('0\r\n\r\n');
    const response = await connection.response();
    expect([response?.status, typeof response?.headers['mcp-session-id']]).toEqual([200, 'string']);
  });

  test('S8: or not, where that is wanted', async () => {
    const live = await open({ server: { rejectChunked: true } });
    const connection = live.connect();
    connection.write(
      `${rawPost('', { 'Content-Length': '', 'Transfer-Encoding': 'chunked' })}2\r\n{}\r\n0\r\n\r\n`,
    );
    expect((await connection.response())?.status).toBe(400);
  });

  test('H-14: a body that ends early is not served', async () => {
    const calls: unknown[] = [];
    const live = await open({
      call: (r) => {
        calls.push(r);
        return { content: [] };
      },
    });
    const connection = live.connect();
    connection.write(modernCall(1).slice(0, -5));
    connection.socket.end();
    await connection.until(() => false);
    expect([calls.length, connection.received.includes('200 OK')]).toEqual([0, false]);
  });

  test.each([
    ['at once', () => ({ content: [] })],
    [
      'a little later',
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return { content: [] };
      },
    ],
  ])('H-35: a client that closes its side is answered %s', async (_name, call) => {
    const live = await open({ call });
    const connection = live.connect({ allowHalfOpen: true });
    connection.socket.end(modernCall(1));
    expect((await connection.response())?.status).toBe(200);
  });

  test('H-35: but not for ever', async () => {
    let aborted = false;
    const live = await open({
      http: { halfCloseMs: 30 },
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
        });
        await new Gate().passed;
        return { content: [] };
      },
    });
    live.connect({ allowHalfOpen: true }).socket.end(modernCall(1));
    await until(() => aborted, 'the call is cancelled');
  });

  test.each([
    ['H-11: both lengths', rawPost(INIT, { 'Transfer-Encoding': 'chunked' })],
    ['H-12: another coding', rawPost(INIT, { 'Transfer-Encoding': 'xchunked', 'Content-Length': '' })],
    ['H-13: a list', rawPost(INIT, { 'Content-Length': '46, 46' })],
    ['H-13: a sign', rawPost(INIT, { 'Content-Length': '+46' })],
    ['H-13: hexadecimal', rawPost(INIT, { 'Content-Length': '0x2e' })],
    ['H-18: a blank before the colon', rawPost(INIT).replace('Host:', 'Host :')],
    ['H-18: NUL', rawPost(INIT, { 'X-A': 'a\0b' })],
    ['H-18: folding', rawPost(INIT, { 'X-A': 'a\r\n b' })],
    ['H-5: FROB', rawPost(INIT).replace('POST', 'FROB')],
    ['H-5: post', rawPost(INIT).replace('POST', 'post')],
    ['H-6: no Host', rawPost(INIT, { Host: '' })],
    ['H-10: an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'H-16: a chunk size that is none',
      `${rawPost('', { 'Content-Length': '', 'Transfer-Encoding': 'chunked' })}zz\r\n`,
    ],
    ['H-45: bytes of a proxy protocol', `PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n${rawPost(INIT)}`],
  ])('%s', async (_name, bytes) => {
    const live = await open();
    const connection = live.connect();
    connection.write(bytes);
    const response = await connection.response();
    expect(response?.status).toBe(400);
    await connection.until(() => false);
  });

  test('H-6: two Hosts', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost(INIT).replace('Host: 127.0.0.1\r\n', 'Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n'));
    expect((await connection.response())?.status).toBe(400);
  });

  test('H-23: garbage after a good request', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(`${rawPost(INIT)}garbage\r\n\r\n`);
    expect((await connection.response())?.status).toBe(200);
    expect((await connection.response())?.status).toBe(400);
  });

  test.each([
    ['H-19: a large header', rawPost(INIT, { 'X-A': 'a'.repeat(100_000) })],
    [
      'H-19: many headers',
      rawPost(INIT, Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`a${i}`, '1']))),
    ],
    [
      'H-19: 97 more than the four there are',
      rawPost(INIT, Object.fromEntries(Array.from({ length: 97 }, (_, i) => [`a${i}`, '1']))),
    ],
    ['H-19: a long target', rawPost(INIT).replace('/mcp', `/mcp?${'a'.repeat(100_000)}`)],
  ])('%s', async (_name, bytes) => {
    const live = await open();
    const connection = live.connect();
    connection.write(bytes);
    expect((await connection.response())?.status).toBe(431);
  });

  test('H-19: as many headers as allowed', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost(INIT, Object.fromEntries(Array.from({ length: 96 }, (_, i) => [`a${i}`, '1']))));
    expect((await connection.response())?.status).toBe(200);
  });

  test.each([
    ['H-20: up', '/mcp/../admin', 404],
    ['H-20: encoded', '/mcp/%2e%2e', 404],
    ['H-8: foreign authority', 'http://evil.example/mcp', 403],
    ['H-8: with a user', 'http://127.0.0.1@evil.example/mcp', 400],
    ['own authority', 'http://127.0.0.1/mcp', 200],
    ['not a path', 'mcp', 400],
  ])('target %s', async (_name, target, status) => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost(INIT).replace('/mcp', target));
    expect((await connection.response())?.status).toBe(status);
  });

  test.each([
    [
      'H-3: TRACE is not reflected',
      'TRACE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secret: canary\r\n\r\n',
      405,
    ],
    [
      'H-36: no upgrade',
      'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      405,
    ],
    [
      'H-37: method override',
      'GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-HTTP-Method-Override: POST\r\n\r\n',
      405,
    ],
    ['H-9: HTTP/1.0', `${rawPost(INIT).replace('HTTP/1.1', 'HTTP/1.0')}`, 200],
    ['H-24: unknown expectation', rawPost(INIT, { Expect: 'x' }), 417],
  ])('%s', async (_name, bytes, status) => {
    const live = await open();
    const connection = live.connect();
    connection.write(bytes);
    const response = await connection.response();
    expect(response?.status).toBe(status);
    expect(response?.body).not.toContain('canary');
  });

  test('H-4: no tunnel', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    expect(await connection.until(() => false)).not.toContain('200');
  });

  test('M-4: two session headers', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(
      rawPost('{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'Mcp-Session-Id': 'a', 'mcp-session-id': 'b' }),
    );
    expect((await connection.response())?.status).toBe(400);
  });
});

describe('S7: limits on bodies', () => {
  test('H-31: a large body is refused before it is sent', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost('', { 'Content-Length': String(1024 ** 3) }));
    const response = await connection.response();
    expect([response?.status, response?.headers['connection']]).toEqual([413, 'close']);
    await connection.until(() => false);
  });

  test('H-13: a length beyond all numbers', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost('', { 'Content-Length': '18446744073709551616' }));
    expect([400, 413]).toContain((await connection.response())?.status);
  });

  test('H-32: a chunked body is counted while it is read', async () => {
    const live = await open({ listener: { maxBodyBytes: 100_000 } });
    const connection = live.connect();
    connection.write(rawPost('', { 'Content-Length': '', 'Transfer-Encoding': 'chunked' }));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    let sent = 0;
    while (!connection.closed && connection.received === '' && sent < 48 * 1024 * 1024) {
      connection.write(chunk);
      sent += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await connection.until((received) => received !== '');
    expect(connection.received === '' || connection.received.startsWith('HTTP/1.1 413')).toBe(true);
    expect(sent).toBeLessThan(8 * 1024 * 1024);
  });

  test.each([
    [-1, 413],
    [0, 200],
    [1, 200],
  ])('exactly the limit %+i', async (more, status) => {
    const live = await open({ listener: { maxBodyBytes: INIT.length + more } });
    const connection = live.connect();
    connection.write(rawPost(INIT));
    expect((await connection.response())?.status).toBe(status);
  });

  test('H-24: the body is asked for when it is wanted', async () => {
    const live = await open({ listener: { maxBodyBytes: 1000 } });
    const wanted = live.connect();
    wanted.write(rawPost(INIT, { Expect: '100-continue' }).slice(0, -INIT.length));
    await wanted.until((received) => received.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    wanted.received = '';
    wanted.write(INIT);
    expect((await wanted.response())?.status).toBe(200);
    const unwanted = live.connect();
    unwanted.write(rawPost('', { Expect: '100-continue', 'Content-Length': '5000' }));
    expect((await unwanted.response())?.status).toBe(413);
  });

  test('H-39: a body that does not arrive', async () => {
    const live = await open({ listener: { bodyTimeoutMs: 50 } });
    const connection = live.connect();
    connection.write(rawPost(INIT).slice(0, -10));
    expect((await connection.response())?.status).toBe(408);
    await connection.until(() => false);
  });

  test('H-39: a head that does not arrive', async () => {
    const live = await open({ http: { headersTimeoutMs: 100 } });
    const connection = live.connect();
    connection.write('POST /mcp HTTP/1.1\r\nHost: ');
    await connection.until(() => false);
    expect(connection.received === '' || connection.received.startsWith('HTTP/1.1 408')).toBe(true);
  });

  test('a client that gives up in the middle leaves nothing behind', async () => {
    const live = await open({ listener: { bodyTimeoutMs: 60 } });
    const connection = live.connect();
    connection.write(rawPost(INIT).slice(0, -10));
    await new Promise((resolve) => setTimeout(resolve, 10));
    await connection.close();
    await new Promise((resolve) => setTimeout(resolve, 80));
    const next = live.connect();
    next.write(rawPost(INIT));
    expect((await next.response())?.status).toBe(200);
  });
});

describe('refusals before the body', () => {
  test.each([
    ['S2: a foreign origin', { Origin: 'http://evil.example' }, 403],
    ['S4: a foreign host', { Host: 'evil.example' }, 403],
    ['S27: nobody', {}, 401],
  ])('%s', async (_name, headers, status) => {
    const live = await open({ listener: { authenticate: () => undefined } });
    const connection = live.connect();
    connection.write(rawPost('', { ...headers, 'Content-Length': '1000' }));
    const response = await connection.response();
    expect([response?.status, response?.headers['connection']]).toEqual([status, 'close']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])('an authentication that %s', async (_name, authenticate) => {
    const live = await open({ listener: { authenticate } });
    const connection = live.connect();
    connection.write(rawPost(INIT));
    const response = await connection.response();
    expect([response?.status, response?.body.includes('secret')]).toEqual([500, false]);
  });

  test('an authentication that takes its time', async () => {
    const live = await open({
      listener: {
        authenticate: async (headers) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          return headers['authorization'];
        },
      },
    });
    const connection = live.connect();
    connection.write(rawPost(INIT, { Authorization: 'p' }));
    expect((await connection.response())?.status).toBe(200);
  });
});

describe('streams over sockets', () => {
  test('S46 R-19: a client that goes away cancels its modern call', async () => {
    let aborted = 0;
    const live = await open({
      call: async (r) => {
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
    streaming.write(modernCall(1, {}, { progressToken: 1 }));
    await streaming.until((received) => received.includes('notifications/progress'));
    await streaming.close();
    await until(() => aborted === 1, 'the streaming call is cancelled');
    const silent = live.connect();
    silent.write(modernCall(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await silent.close();
    await until(() => aborted === 2, 'the silent call is cancelled');
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
    connection.write(modernCall(1, {}, { progressToken: 1 }));
    await connection.until((received) => received.includes('"progress":0'));
    expect(connection.received).toContain('content-type: text/event-stream');
    gates[0]?.open();
    await connection.until((received) => received.includes('"progress":1'));
    gates[1]?.open();
    await connection.until((received) => received.endsWith('0\r\n\r\n'));
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
        connection.write(modernCall(n, { n }));
        return JSON.parse((await connection.response())?.body ?? '');
      }),
    );
    expect(answers.map((answer) => [answer.id, answer.result.got.n])).toEqual(answers.map((_, n) => [n, n]));
  });
});

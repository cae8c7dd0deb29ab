import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { Gate, initialize } from '../support/server/harness.js';
import { FRONTS, LiveServers, rawCall, rawPost } from '../support/server/live-server.js';

const servers = new LiveServers();
const { open } = servers;
afterEach(() => servers.close());

const INIT = JSON.stringify(initialize());

describe.each(FRONTS)('framing, by $way', (front) => {
  beforeEach(() => {
    servers.fastFront = front.fastFront;
  });

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
    const bytes = Buffer.from(rawCall(1, { text: 'grüße \u{1F600}' }));
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
    let begun = 0;
    const live = await open({
      call: async () => {
        // The first waits until the others are done.
        if (++begun === 1) await gate.passed;
        return { content: [] };
      },
    });
    const connection = live.connect();
    connection.write(rawCall(1) + rawCall(2) + rawCall(3));
    await until(() => begun === 3, 'all three run');
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
    connection.write(rawCall(1).slice(0, -5));
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
    connection.socket.end(rawCall(1));
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
    const connection = live.connect({ allowHalfOpen: true });
    connection.socket.end(rawCall(1));
    await until(() => aborted, 'the call is cancelled');
    expect(await connection.until(() => false)).toBe('');
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
    ['H-9: HTTP/1.0', rawPost(INIT).replace('HTTP/1.1', 'HTTP/1.0'), 200],
    ['H-24: unknown expectation', rawPost(INIT, { Expect: 'x' }), 417],
  ])('%s', async (_name, bytes, status) => {
    const live = await open();
    const connection = live.connect();
    connection.write(bytes);
    const response = await connection.response();
    expect(response?.status).toBe(status);
    expect(response?.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response?.body).not.toContain('canary');
  });

  test('H-4: no tunnel', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    expect(await connection.until(() => false)).toContain('400 Bad Request');
  });

  test('H-4 H-23: what comes before a request for a tunnel is answered', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(`${rawPost(INIT)}CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    expect((await connection.response())?.status).toBe(200);
    expect((await connection.response())?.status).toBe(400);
  });

  test.each([
    [100, 200],
    [101, 431],
    [3_000, 431],
  ])('H-17: %i trailers', async (count, status) => {
    const live = await open();
    const connection = live.connect();
    const [head = ''] = rawPost(INIT).split('\r\n\r\n');
    const chunked = head.replace(/content-length: \d+/i, 'Transfer-Encoding: chunked');
    const length = Buffer.byteLength(INIT).toString(16);
    connection.write(`${chunked}\r\n\r\n${length}\r\n${INIT}\r\n0\r\n${'T: x\r\n'.repeat(count)}\r\n`);
    expect((await connection.until((text) => text.includes('\r\n\r\n'))).slice(9, 12)).toBe(String(status));
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAlive, checkRow, openWays, type Entrance, type Ways } from '../support/bad-input/entrance.js';
import { chunked, HTTP_ROWS, MAX_BODY } from '../support/bad-input/http-rows.js';
import { until } from '../support/http/until.js';
import { FRONTS } from '../support/server/live-server.js';

/** Requests that are wrong as HTTP, at a whole hub, by both ways of reading them. */

let ways: Ways;
beforeAll(async () => {
  ways = await openWays({
    config: { server: { maxBodyBytes: MAX_BODY, allowedOrigins: ['https://app.example'] } },
  });
}, 60_000);
afterAll(() => ways?.close());

const ROUTES = [
  '/mcp',
  '/connectors/up/mcp',
  '/health',
  '/ready',
  '/api/v1/connectors',
  '/metrics',
  '/nowhere',
];
/** What answers here are libraries, or pages. */
const PAGES = ['/', '/oauth/token', '/oauth/register', '/.well-known/oauth-authorization-server'];

describe.each(FRONTS)('by $way', ({ way }) => {
  const at = (): Entrance => ways.at(way);

  test.each(HTTP_ROWS)('$name', (one) => checkRow(at(), one));

  test('H-14: a body that ends early is not served', async () => {
    const before = at().executed;
    const connection = at().connect();
    connection.socket.end(at().call().slice(0, -5));
    await connection.until(() => connection.closed, 10_000);
    expect(connection.received).toMatch(/^(HTTP\/1\.1 400 [^]*)?$/);
    await checkAlive(at());
    expect(at().executed).toBe(before + 1);
  });

  test('H-22: pipelined requests are answered in order', async () => {
    const connection = at().connect();
    connection.write([1, 2, 3].map((id) => at().call({ id }, {}, id)).join(''));
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(JSON.parse((await connection.response())?.body ?? '{}').id);
    expect(ids).toEqual([1, 2, 3]);
  });

  test('H-23: garbage after a good request', async () => {
    const connection = at().connect();
    connection.write(`${at().call()}garbage\r\n\r\n`);
    expect((await connection.response())?.status).toBe(200);
    expect((await connection.response())?.status).toBe(400);
    await connection.until(() => connection.closed);
    await checkAlive(at());
  });

  test('H-24: the body is asked for', async () => {
    const connection = at().connect();
    const [head = '', body = ''] = at().call({}, { Expect: '100-continue' }).split('\r\n\r\n');
    connection.write(`${head}\r\n\r\n`);
    expect((await connection.response())?.status).toBe(100);
    connection.write(body);
    expect((await connection.response())?.status).toBe(200);
  });

  test('H-32: a body without end is read to the limit and no further', async () => {
    const connection = at().connect();
    connection.write(chunked(at(), ''));
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    let sent = 0;
    while (!connection.closed && connection.received === '' && sent < 48 * MAX_BODY) {
      await new Promise((resolve) => connection.socket.write(chunk, resolve));
      sent += chunk.length;
    }
    await connection.until((received) => received !== '');
    expect(connection.received).toMatch(/^(HTTP\/1\.1 413 [^]*)?$/);
    // What the two ends of a socket hold on this machine is not ours to bound.
    expect(sent).toBeLessThan(MAX_BODY + 8 * 1024 * 1024);
    await checkAlive(at());
  });

  test('H-35: one byte after another, and a side that is closed', async () => {
    const connection = at().connect();
    for (const byte of Buffer.from(at().call({ slow: 1 }))) {
      connection.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await connection.response())?.status).toBe(200);
    const closing = at().connect();
    closing.socket.end(at().call());
    expect((await closing.response())?.status).toBe(200);
  });

  test('H-40: connections that say little, nothing, or break off', async () => {
    const slow = Array.from({ length: 300 }, () => at().connect());
    for (const connection of slow) connection.write(at().call().slice(0, 40));
    const idle = Array.from({ length: 200 }, () => at().connect());
    await until(() => idle.every(({ socket }) => !socket.connecting), 'all are connected', 20_000);
    for (const { socket } of idle) socket.resetAndDestroy();
    await checkAlive(at());
    for (const { socket } of slow) socket.destroy();
  });

  test('H-41: many connections, one after another', async () => {
    for (let n = 0; n < 20; n++) {
      const some = Array.from({ length: 50 }, () => at().connect());
      await until(() => some.every(({ socket }) => !socket.connecting), 'all are connected', 10_000);
      for (const { socket } of some) socket.destroy();
    }
    await checkAlive(at());
  });

  test.each([...ROUTES, ...PAGES])('H-42: what every answer of %s says', async (path) => {
    for (const key of [`Bearer ${at().hub.localKey}`, '']) {
      const answer = await at().tell(at().bare('GET', path, { Authorization: key }));
      expect(answer?.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringContaining('no-store') as string,
      });
      expect(Object.keys(answer?.headers ?? {})).not.toContain('server');
      expect(Object.keys(answer?.headers ?? {})).not.toContain('x-powered-by');
    }
  });

  test.each(ROUTES)('H-44: HEAD and OPTIONS tell nothing of %s', async (path) => {
    for (const method of ['HEAD', 'OPTIONS']) {
      const connection = at().connect();
      connection.write(at().bare(method, path, { Authorization: '', Connection: 'close' }));
      const received = await connection.until(() => connection.closed);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      expect(head).not.toMatch(/mcp-session-id: /i);
      // Only a refusal may say more, and it says nothing but that.
      if (method === 'HEAD' || head.startsWith('HTTP/1.1 2')) expect(body).toBe('');
      else expect(body).toMatch(/^0?$|"(error|message)"/);
    }
  });
});

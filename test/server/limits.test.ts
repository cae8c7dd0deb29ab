import { until } from '../support/http/until.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { initialize } from '../support/server/harness.js';
import { FRONTS, LiveServers, rawPost } from '../support/server/live-server.js';

const servers = new LiveServers();
const { open } = servers;
afterEach(() => servers.close());

const INIT = JSON.stringify(initialize());

describe.each(FRONTS)('S7: limits on bodies, by $way', (front) => {
  beforeEach(() => {
    servers.fastFront = front.fastFront;
  });

  test('H-31: a large body is refused before it is sent', async () => {
    const live = await open();
    const connection = live.connect();
    connection.write(rawPost('', { 'Content-Length': String(1024 ** 3) }));
    const response = await connection.response();
    expect([response?.status, response?.headers['connection']]).toEqual([413, 'close']);
    await connection.until(() => false);
  });

  test('H-31: a client that goes on sending gets to read why it was refused', async () => {
    const live = await open({ listener: { authenticate: ({ authorization }) => authorization } });
    const body = ' '.repeat(8 * 1024 * 1024);
    const post = async (authorization?: string) =>
      (await fetch(live.url, { method: 'POST', headers: { ...(authorization && { authorization }) }, body }))
        .status;
    expect(await Promise.all([post('a'), post('b'), post(), post()])).toEqual([413, 413, 401, 401]);
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
    const live = await open({ listener: { bodyTimeoutMs: 1000 } });
    let closed = 0;
    const begun = new Promise<void>((resolve) => {
      live.http.once('connection', (socket) => {
        socket.once('data', () => resolve());
        socket.once('close', () => closed++);
      });
    });
    const connection = live.connect();
    connection.write(rawPost(INIT).slice(0, -10));
    await begun;
    await connection.close();
    await until(() => closed === 1, 'the request is over');
    // Longer than a body may take: nothing is refused any more.
    const slow = live.connect();
    slow.write(rawPost(INIT).slice(0, -10));
    expect((await slow.response())?.status).toBe(408);
    const next = live.connect();
    next.write(rawPost(INIT));
    expect((await next.response())?.status).toBe(200);
  });
});

describe.each(FRONTS)('refusals before the body, by $way', (front) => {
  beforeEach(() => {
    servers.fastFront = front.fastFront;
  });

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

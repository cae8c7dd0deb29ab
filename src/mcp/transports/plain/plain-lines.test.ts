import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { faultOf, open, request, resultText } from '../../../../test/support/http/open.js';
import { until } from '../../../../test/support/http/until.js';
import { networkError } from '../http-errors.js';
import type { LineHandler } from '../http-lines.js';
import type { TransportError } from '../transport.js';
import { openPlainLines } from './plain-lines.js';
import { RequestHeads } from './request-heads.js';

interface Peer {
  readonly url: URL;
  readonly sockets: Socket[];
  /** Requests in the order they came, over all connections. */
  readonly requests: string[];
}

/** Answers each request, once it is whole, with what `answer` says. */
async function peer(answer: (socket: Socket, count: number) => void): Promise<Peer> {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const [head, body = ''] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/.exec(head ?? '')?.[1] ?? 0);
      if (!text.includes('\r\n\r\n') || Buffer.byteLength(body) < length) return;
      requests.push(text);
      text = '';
      answer(socket, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), sockets, requests };
}

function says(socket: Socket, id: number, more = ''): void {
  const body = resultText(id);
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

describe('a connection', () => {
  test('is used again, and a request is one piece of it', async () => {
    const { url, sockets, requests } = await peer(says);
    const { transport } = await open(url, { headers: () => ({ authorization: 'Bearer k' }) });
    await transport.send(request(1));
    await transport.send(request(2));
    expect(sockets).toHaveLength(1);
    expect(requests[0]).toMatch(
      /^POST \/mcp HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\nconnection: keep-alive\r\n/,
    );
    expect(requests[0]).toContain('\r\nauthorization: Bearer k\r\n');
  });

  test('is not used again where the peer says so, or says more than was asked', async () => {
    for (const more of ['Connection: close\r\n', 'Keep-Alive: timeout=2\r\n']) {
      const { url, sockets } = await peer((socket, id) => says(socket, id, more));
      const { transport } = await open(url);
      await transport.send(request(1));
      await transport.send(request(2));
      expect(sockets).toHaveLength(2);
    }
    const chatty = await peer((socket, id) => {
      says(socket, id);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const { transport } = await open(chatty.url);
    await transport.send(request(1));
    await until(() => chatty.sockets[0]?.destroyed === true, 'the connection is dropped');
    await transport.send(request(2));
    expect(chatty.sockets).toHaveLength(2);
  });

  test('that closed while nobody used it is replaced', async () => {
    const { url, sockets, requests } = await peer(says);
    const { transport } = await open(url);
    await transport.send(request(1));
    sockets[0]?.end();
    await until(() => sockets[0]?.destroyed === true, 'the connection is closed on both sides');
    await transport.send(request(2));
    expect(requests).toHaveLength(2);
  });

  test('that closed while this process stood still is not used: nobody could tell what became of a request', async () => {
    const { url, sockets, requests } = await peer(says);
    const { transport } = await open(url);
    await transport.send(request(1));
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
    onTestFinished(() => later.mockRestore());
    // After a timer, what has arrived is read next. Its end has arrived then, and nobody has read it yet.
    await new Promise((resolve) => setTimeout(resolve, 1));
    sockets[0]?.destroy();
    await transport.send(request(2));
    expect([sockets.length, requests.length]).toEqual([2, 2]);
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'U-19: a request on a used connection that closes (%s) is never sent again',
    async (close) => {
      const { url, requests } = await peer((socket, count) => {
        if (count === 2) socket[close]();
        else says(socket, count);
      });
      const { transport } = await open(url);
      await transport.send(request(1));
      expect(await faultOf(transport.send(request(2)))).toMatchObject({
        code: 'CONNECTION_CLOSED',
        mayHaveArrived: true,
      });
      await transport.send(request(3));
      expect(requests).toHaveLength(3);
    },
  );

  test('ends when whoever takes its answer fails', async () => {
    const { url, sockets } = await peer(says);
    const lines = openPlainLines({ url, connectMs: 5_000 });
    onTestFinished(() => lines.destroy());
    const broken = new Error('broken');
    const failed = new Promise<unknown>((resolve) => {
      lines.dispatch(ASK, {
        ...IGNORING,
        onResponseStart() {
          throw broken;
        },
        onResponseError: (_, error) => resolve(error),
      });
    });
    expect(await failed).toBe(broken);
    await until(() => sockets[0]?.destroyed === true, 'the connection is closed');
  });

  test('that is being made ends with the lines, and carries nothing', async () => {
    const lines = openPlainLines({ url: new URL('http://192.0.2.1:9'), connectMs: 5_000 });
    const failed = new Promise<TransportError>((resolve) => {
      lines.dispatch(ASK, {
        ...IGNORING,
        onResponseError: (_, error) => resolve(networkError(error, 'connecting')),
      });
    });
    await lines.destroy();
    expect(await failed).toMatchObject({ mayHaveArrived: false });
    expect(() => lines.dispatch(ASK, IGNORING)).toThrow('closed');
  });

  test('that does not come about is given up', async () => {
    const lines = openPlainLines({
      url: new URL('http://slow.example:9'),
      connectMs: 50,
      admit: () => () => {},
    });
    onTestFinished(() => lines.destroy());
    const failed = new Promise<unknown>((resolve) => {
      lines.dispatch(ASK, { ...IGNORING, onResponseError: (_, error) => resolve(error) });
    });
    expect(await failed).toMatchObject({ code: 'TIMEOUT_CONNECT', mayHaveArrived: false });
  });
});

const ASK = {
  origin: '',
  path: '/',
  method: 'GET',
  headers: [] as string[],
  body: null,
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

const IGNORING: LineHandler = {
  onRequestStart() {},
  onResponseStart() {},
  onResponseData() {},
  onResponseEnd() {},
  onResponseError() {},
};

describe('the text of a request', () => {
  test.each([
    [['x', 'a\r\nevil: 1']],
    [['x', 'a\nb']],
    [['x', 'a\0b']],
    [['x', 'ā']],
    [['x y', '1']],
    [['', '1']],
    [['x\r\ny', '1']],
  ])('a header %j is refused', (headers) => {
    expect(() => new RequestHeads('h').write({ ...ASK, headers })).toThrow('cannot be sent');
  });

  test('a path with a line end is refused', () => {
    expect(() => new RequestHeads('h').write({ ...ASK, path: '/ HTTP/1.1\r\nx: y' })).toThrow(
      'cannot be sent',
    );
  });

  test('a body counts in bytes, and other bytes of a header stay one each', () => {
    const posted = { ...ASK, method: 'POST', body: '"ü"' } as const;
    expect(new RequestHeads('h').write({ ...posted, body: '"u"' })).toBe(
      'POST / HTTP/1.1\r\nhost: h\r\nconnection: keep-alive\r\ncontent-length: 3\r\n\r\n"u"',
    );
    expect(new RequestHeads('h').write(posted).toString()).toBe(
      'POST / HTTP/1.1\r\nhost: h\r\nconnection: keep-alive\r\ncontent-length: 4\r\n\r\n"ü"',
    );
    const text = new RequestHeads('h').write({ ...posted, headers: ['x', 'ü'] });
    expect(Buffer.isBuffer(text) && text.includes(Buffer.from('x: \xfc\r\n', 'latin1'))).toBe(true);
    expect(Buffer.isBuffer(text) && text.subarray(-4).toString()).toBe('"ü"');
  });

  test('a head is that of its own request, whatever was written before', () => {
    const heads = new RequestHeads('h');
    const requests = [
      { ...ASK, headers: ['x', '1'] },
      { ...ASK, headers: ['x', '2'] },
      { ...ASK, headers: ['x', '2', 'y', 'ü'] },
      { ...ASK, headers: ['x', '2'], path: '/other' },
      { ...ASK, headers: ['x', '2'], method: 'POST' as const, body: '{}' },
      { ...ASK, headers: ['x', '2'], method: 'POST' as const, body: '{"a":1}' },
    ];
    for (const written of [...requests, ...requests.toReversed()]) {
      expect(heads.write(written)).toEqual(new RequestHeads('h').write(written));
      expect(() => heads.write({ ...written, headers: ['x', 'a\r\nb'] })).toThrow('cannot be sent');
      expect(heads.write(written)).toEqual(new RequestHeads('h').write(written));
    }
    const headers = ['x', '1'];
    heads.write({ ...ASK, headers });
    headers[1] = '2';
    expect(heads.write({ ...ASK, headers })).toContain('x: 2');
  });
});

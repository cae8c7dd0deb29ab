import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpListener } from './http-listener.js';

async function readAll(request: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  return length;
}

/** Answers when it has the whole body, as libraries do. */
const patient: RequestListener = (request, response) => {
  readAll(request).then(
    (length) => response.end(String(length)),
    () => response.end(),
  );
};
/** Does not look at the body at all. */
const hasty: RequestListener = (_, response) => response.end('no');

async function open(others: RequestListener, bodyTimeoutMs: number): Promise<Socket> {
  const server = createServer(
    { requestTimeout: 0 },
    createHttpListener({
      mcp: { find: () => undefined },
      guard: { check: () => undefined } as never,
      isReady: () => true,
      sites: [],
      others,
      bodyTimeoutMs,
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  await once(socket, 'connect');
  return socket;
}

/** What comes back until the connection ends. A byte is sent now and then. */
async function drip(socket: Socket, head: string, drop: string): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', () => {});
  socket.write(head);
  const dripping = setInterval(() => socket.write(drop), 10);
  await once(socket, 'close');
  clearInterval(dripping);
  return answer;
}

const SIZED = 'POST /api/v1/agents HTTP/1.1\r\nhost: hub\r\ncontent-length: 100000\r\n\r\n';
const CHUNKED = 'POST /oauth/token HTTP/1.1\r\nhost: hub\r\ntransfer-encoding: chunked\r\n\r\n';

test.each([
  ['of a length', SIZED, ' '],
  ['in chunks', CHUNKED, '1\r\n \r\n'],
])('a body %s that comes byte by byte is not waited for', async (_, head, drop) => {
  const answer = await drip(await open(patient, 100), head, drop);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/);
});

test('nor where the answer was given before it', async () => {
  const answer = await drip(await open(hasty, 100), SIZED, ' ');
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).not.toContain('408');
});

test('one that came in time is answered whenever the answer is there', async () => {
  const slow: RequestListener = (request, response) => {
    void readAll(request).then((length) => setTimeout(() => response.end(`got ${length}`), 300));
  };
  const socket = await open(slow, 100);
  socket.write('POST /x HTTP/1.1\r\nhost: hub\r\ncontent-length: 3\r\n\r\nabc');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toContain('got 3');
});

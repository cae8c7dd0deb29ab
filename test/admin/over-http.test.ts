import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HubError } from '../../src/kernel/index.js';
import { ADMIN_TOKEN, openAdminHub, withNotes, type AdminHub } from '../support/admin-hub.js';

let hub: AdminHub;
let server: Server;
let port = 0;

beforeEach(async () => {
  hub = await openAdminHub();
  const listener = getRequestListener((request, env) => hub.app.fetch(request, env));
  server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await hub.close();
});

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };

test('a client that leaves cancels its call', async () => {
  await withNotes(hub);
  let cancelled = false;
  hub.upstreams.script('notes', {
    call: (_name, _args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          cancelled = true;
          reject(new HubError('cancelled', 'the client left'));
        });
      }),
  });
  const abort = new AbortController();
  const body = JSON.stringify({ agent: 'local', name: 'notes__erase' });
  const answer = fetch(`http://127.0.0.1:${port}/api/v1/tools/call`, {
    method: 'POST',
    headers,
    body,
    signal: abort.signal,
  });
  answer.catch(() => {});
  await expect.poll(() => hub.upstreams.calls.length).toBe(1);
  abort.abort();
  await expect.poll(() => cancelled).toBe(true);
  await expect
    .poll(async () => (await hub.recorded()).at(-1)?.event)
    .toMatchObject({ type: 'call.finished', outcome: 'cancelled' });
});

test('wrong tokens are counted by the address of the connection', async () => {
  const attempt = async (token: string) =>
    (await fetch(`http://127.0.0.1:${port}/api/v1/status`, { headers: { authorization: `Bearer ${token}` } }))
      .status;
  for (let round = 0; round < 10; round++) expect(await attempt('wrong')).toBe(401);
  expect(await attempt('wrong')).toBe(429);
});

test('H-14: a body that does not arrive whole changes nothing, and the next request is answered', async () => {
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/agents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"id":"ci"}`,
  );
  socket.end();
  await once(socket, 'close');
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/agents/ci`, { headers });
  expect(response.status).toBe(404);
});

test('H-32: a body without end is refused at the limit', async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x20)),
  });
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/agents`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  });
  expect(response.status).toBe(413);
});

test('H-1: what is not ours is not found, in our words', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/elsewhere`);
  expect(response.status).toBe(404);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.json()).toEqual({
    error: { code: 'not_found', message: 'there is nothing at this address' },
  });
});

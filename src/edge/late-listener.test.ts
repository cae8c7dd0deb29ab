import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { createLateListener } from './late-listener.js';

test('a failure to load is told to those who ask meanwhile, and the next one tries again', async () => {
  const open = vi.fn<() => Promise<RequestListener>>(async () => (_, response) => void response.end('here'));
  open.mockRejectedValueOnce(new Error('too many open files'));
  const server = createServer(createLateListener(open, silentLogger)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
  const failed = await ask();
  expect([failed.status, await failed.json()]).toEqual([
    500,
    { error: { code: 'internal', message: 'this part of the hub could not be loaded' } },
  ]);
  expect(await (await ask()).text()).toBe('here');
  expect(await (await ask()).text()).toBe('here');
  expect(open).toHaveBeenCalledTimes(2);
});

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Both ends of one connection. */
export async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  const [socket] = await accepted;
  server.close();
  for (const each of [client, socket]) each.setNoDelay(true);
  return [socket, client];
}

import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { capConnections, type AddressCap } from './address-cap.js';
import { createNodeServer } from './node-server.js';

const PATIENT = { timeout: 20_000 };

/** A connection of which only the address matters. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  isReset = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  resetAndDestroy(): void {
    this.isReset = true;
  }
}

function setUp(cap: AddressCap) {
  const server = createServer();
  server.removeAllListeners('connection');
  capConnections(server, cap);
  return (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket as never);
    return socket;
  };
}

describe('H-41: connections of one address', () => {
  test('beyond the cap are closed, and there is room again when one has gone', () => {
    const reached: string[] = [];
    const open = setUp({ most: 2, onReached: (address) => reached.push(address) });
    const first = open('192.0.2.1');
    const others = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].map(open);
    expect([first, ...others].map(({ isReset }) => isReset)).toEqual([false, false, true, true, false]);
    first.emit('close');
    expect(['192.0.2.1', '192.0.2.1'].map((address) => open(address).isReset)).toEqual([false, true]);
    expect(reached).toEqual(['192.0.2.1', '192.0.2.1']);
  });

  test('those of peers that are not counted stay', () => {
    const open = setUp({ most: 1, peerOf: (address) => (address === '192.0.2.1' ? undefined : 'others') });
    const sockets = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'].map(open);
    expect(sockets.map(({ isReset }) => isReset)).toEqual([false, false, false, true]);
  });
});

describe.each([true, false])('H-41: a server with the fast front: %s', (isFast) => {
  let server: Server;
  const clients: Socket[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    server.close();
  });

  test('stays below the cap, and serves those who are in', async () => {
    const most = 20;
    server = createNodeServer((_request, response) => void response.end('fine'), {
      addressCap: { most },
      ...(isFast && { front: () => undefined }),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const open = () => {
      const client = connect(port, '127.0.0.1');
      clients.push(client);
      return client.on('error', () => {});
    };
    const inside = open();
    await new Promise((resolve) => inside.once('connect', resolve));
    for (let n = 0; n < 100; n++) open();
    await vi.waitFor(() => expect(clients.filter(({ closed }) => closed)).toHaveLength(101 - most), PATIENT);
    expect(await asks(inside)).toContain('200 OK');
    for (const client of clients.splice(1)) client.destroy();
    await vi.waitFor(async () => expect(await asks(open())).toContain('200 OK'), PATIENT);
  });
});

/** What comes back, or nothing. */
function asks(client: Socket): Promise<string> {
  return new Promise((resolve) => {
    client.once('data', (bytes: Buffer) => resolve(bytes.toString())).once('close', () => resolve(''));
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  });
}

import { createServer, connect, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';

/**
 * `pass`: as if it were not there. `delay`: everything arrives later. `slices`: one byte at a time. `throttle`: five
 * kilobytes a second. `half_open`: nothing arrives any more, and nobody is told. `cut`: ended. `reset`: ended rudely.
 */
export type Fault = 'pass' | 'delay' | 'slices' | 'throttle' | 'half_open' | 'cut' | 'reset';

export interface FaultProxy {
  readonly url: string;
  /** For what comes from now on, on connections that stand too. */
  fault: Fault;
  close(): Promise<void>;
}

const DELAY_MS = 200;
const THROTTLE_BYTES = 512;
const THROTTLE_MS = 100;

/** A connection to an upstream that can be disturbed. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const { hostname, port, pathname } = new URL(upstream);
  const proxy = await startSocketProxy({ host: hostname, port: Number(port) });
  return Object.assign(proxy, { url: `http://127.0.0.1:${proxy.port}${pathname}` });
}

/** The same to any server. */
export async function startSocketProxy(
  to: NetConnectOpts,
): Promise<Omit<FaultProxy, 'url'> & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const state: { fault: Fault } = { fault: 'pass' };
  const server = createServer((client) => {
    const target = connect(to);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    relay(client, target, () => state.fault);
    relay(target, client, () => state.fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function relay(from: Socket, to: Socket, fault: () => Fault): void {
  let last = Promise.resolve();
  const later = (work: () => Promise<void> | void): void => {
    last = last.then(work);
  };
  from.on('data', (chunk: Buffer) => later(() => deliver(chunk, from, to, fault())));
  from.on('end', () => later(() => void (fault() === 'half_open' || to.end())));
  from.on('close', () => later(() => void (fault() === 'half_open' || to.destroy())));
}

async function deliver(chunk: Buffer, from: Socket, to: Socket, fault: Fault): Promise<void> {
  switch (fault) {
    case 'half_open':
      return;
    case 'cut':
      to.end();
      from.destroy();
      return;
    case 'reset':
      to.resetAndDestroy();
      from.destroy();
      return;
    case 'delay':
      await pause(DELAY_MS);
      break;
    case 'slices':
      return inPieces(chunk, to, 1, 0);
    case 'throttle':
      return inPieces(chunk, to, THROTTLE_BYTES, THROTTLE_MS);
    case 'pass':
  }
  if (!to.destroyed) to.write(chunk);
}

async function inPieces(chunk: Buffer, to: Socket, bytes: number, everyMs: number): Promise<void> {
  for (let at = 0; at < chunk.length && !to.destroyed; at += bytes) {
    to.write(chunk.subarray(at, at + bytes));
    await pause(everyMs);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}

import type { RequestListener } from 'node:http';
import { createHttpListener } from '../edge/index.js';
import { createGuard, createNodeServer } from '../mcp/server/index.js';
import type { Config } from './config/config.js';
import { guardOptions } from './guard-options.js';

/** Answers on the port of a hub that cannot start yet: alive, not ready, and nothing else to be had. */
export interface WaitingRoom {
  /** The port is free afterwards. May be called twice. */
  close(): Promise<void>;
}

const BODY = JSON.stringify({
  error: { code: 'storage_unavailable', message: 'the hub waits for its store; try again' },
});
const HEADERS = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(BODY),
  'retry-after': '5',
  // What comes next over it is for the hub.
  connection: 'close',
};

export async function openWaitingRoom(config: Config): Promise<WaitingRoom> {
  const { host, port, keepAliveMs } = config.server;
  const turnAway: RequestListener = (request, response) => {
    response.writeHead(503, HEADERS).end(request.method === 'HEAD' ? undefined : BODY);
  };
  const listener = createHttpListener({
    mcp: { find: () => undefined },
    guard: createGuard(guardOptions(config)),
    isReady: () => false,
    sites: [],
    others: turnAway,
  });
  const server = createNodeServer(listener, { keepAliveMs });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { close: () => (closing ??= close()) };
}

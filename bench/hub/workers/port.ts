import type { Server } from 'node:http';

/** Serves on the port of the command line, on the loopback interface. */
export function serveOn(server: Server): void {
  server.keepAliveTimeout = 120_000;
  server.listen(Number(process.argv[2]), '127.0.0.1');
}

/** The address of the upstream, from the command line. */
export function upstreamUrl(): URL {
  return new URL(process.argv[3] ?? '');
}

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds on the monotonic clock. */
  readonly at: number;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: URL;
  readonly seen: readonly SeenRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Of these, those that are still open. */
  readonly openConnections: number;
  close(): Promise<void>;
}

export type Script = (request: SeenRequest, response: ServerResponse, incoming: IncomingMessage) => void;

/** A real HTTP server on a free loopback port whose every answer is written by the test. */
export async function serve(script: Script, server = createServer()): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const body = Buffer.concat(pieces).toString();
      const request = { method, path: url, headers, body, at: performance.now() };
      seen.push(request);
      script(request, response, incoming);
    });
  });
  return listen(server, seen);
}

/** A server below HTTP: the script gets the socket once a whole request has arrived, and writes bytes. */
export async function serveBytes(script: (socket: Socket, request: string) => void): Promise<ScriptedServer> {
  const server = createNetServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (head === -1 || received.length < head + 4 + length) return;
      const request = received;
      received = '';
      script(socket, request);
    });
  });
  return listen(server, []);
}

async function listen(server: Server, seen: readonly SeenRequest[]): Promise<ScriptedServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    seen,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

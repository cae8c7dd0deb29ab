import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  /** Where clients that know of no key reach the target. */
  readonly url: string;
  close(): Promise<void>;
}

/** Passes everything on as it comes, head and body, and adds the key of an agent. */
export async function startKeyProxy(target: string, key: string): Promise<KeyProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    incoming.socket.setNoDelay(true);
    const headers = [...withoutAuthorization(incoming.rawHeaders), 'authorization', `Bearer ${key}`];
    const outgoing = request(
      { hostname, port, method: incoming.method, path: incoming.url, headers },
      (answer) => relay(answer, response),
    );
    outgoing.on('error', () => response.destroy());
    // A client that goes away is a signal, and the hub must see it.
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  // The head of a stream must not wait for its first event.
  response.flushHeaders();
  answer.on('error', () => response.destroy());
  answer.pipe(response);
}

function withoutAuthorization(raw: readonly string[]): string[] {
  return raw.filter((_value, index) => raw[index - (index % 2)]?.toLowerCase() !== 'authorization');
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface UnreadyHub {
  readonly url: string;
  close(): void;
}

/** The hub at an address, except that it says of one check that it fails, and why, and does not serve all of the rest. */
export async function startUnreadyHub(url: string, reason: string, away?: string): Promise<UnreadyHub> {
  const pass = async ({ method = 'GET', url: path = '', headers }: IncomingMessage, out: ServerResponse) => {
    const { authorization = '' } = headers;
    const answer = await fetch(url + path, { method, headers: { authorization } });
    out.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  const server = createServer((request, response) => {
    const refuse = (body: object) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/ready') refuse({ checks: [{ name: 'store', ok: false, reason }] });
    else if (request.url === away) refuse({ error: { code: 'storage_unavailable', message: 'it is away' } });
    else void pass(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

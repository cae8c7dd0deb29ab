import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface UnreadyHub {
  readonly url: string;
  close(): void;
}

/** The hub at an address, except that it says of one check that it fails. */
export async function startUnreadyHub(url: string, check: string): Promise<UnreadyHub> {
  const pass = async ({ method = 'GET', url: path = '', headers }: IncomingMessage, out: ServerResponse) => {
    const { authorization = '' } = headers;
    const answer = await fetch(url + path, { method, headers: { authorization } });
    out.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  const server = createServer((request, response) => {
    if (request.url !== '/ready') void pass(request, response);
    else response.writeHead(503).end(JSON.stringify({ checks: [{ name: check, ok: false }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

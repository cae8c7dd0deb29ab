import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export type TestIssuer = Awaited<ReturnType<typeof startTokenIssuer>>;

/** An issuer of access tokens on loopback: it publishes keys and answers what it is asked about its tokens. */
export async function startTokenIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }];
  const opaque = new Map<string, Record<string, unknown>>();
  const asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  /** Tokens it was asked about. */
  const shown: string[] = [];
  let url = '';
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const send = (body: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/.well-known/oauth-authorization-server')
      return send({ issuer: url, jwks_uri: `${url}/keys` });
    if (request.url === '/keys') return send({ keys });
    if (request.url !== '/introspect') return send({}, 404);
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const token = new URLSearchParams(text).get('token') ?? '';
      shown.push(token);
      send(opaque.get(token) ?? { active: false });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    shown,
    opaque,
    sign(claims: Record<string, unknown>): Promise<string> {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ iss: url, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
        .sign(privateKey);
    },
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

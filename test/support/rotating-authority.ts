import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credential } from '../../src/credentials/index.js';
import { Secret, toConnectorId } from '../../src/kernel/index.js';
import { startUpstream, type ScriptedUpstream } from './scripted-upstream.js';

/** Where a request can be held: before anything is known of it, before it counts, after it counted and before it is answered. */
export type HoldPoint = 'metadata' | 'request' | 'answer';

export interface HeldRequest {
  /** Of the client's end. */
  readonly port: number;
  /** Goes on with it. */
  release(): void;
}

export interface TokenFamily {
  readonly first: string;
  readonly tokenCalls: number;
  readonly isRevoked: boolean;
  /** Whether this is the refresh token that counts. */
  isCurrent(refreshToken: string | undefined): boolean;
}

export interface RotatingAuthority {
  readonly issuer: string;
  /** A sign-in somebody made. */
  createFamily(): TokenFamily;
  accepts(accessToken: string): boolean;
  /** Holds the next request there. */
  hold(point: HoldPoint): Promise<HeldRequest>;
  /** For how long the token before counts too, until the new one is used. 0: a second use ends the family. */
  graceMs: number;
  close(): Promise<void>;
}

export const CLIENT_ID = 'the-hub';

/** The shared account of a connector whose access token has expired, so that the next call has to renew it. */
export function expiredAccount(
  { issuer }: Pick<RotatingAuthority, 'issuer'>,
  family: TokenFamily,
  { connector, url }: { readonly connector: string; readonly url: string },
): Credential {
  const now = Date.now();
  return {
    connector: toConnectorId(connector),
    owner: { kind: 'shared' },
    account: 'default',
    isDefault: true,
    values: { access_token: new Secret('an expired access token'), refresh_token: new Secret(family.first) },
    grant: {
      issuer,
      resource: url,
      clientId: CLIENT_ID,
      scopes: [],
      obtainedAt: now - 7_200_000,
      expiresAt: now - 3_600_000,
      problem: undefined,
    },
    version: 1,
    updatedAt: now,
  };
}

class Family implements TokenFamily {
  readonly first = randomBytes(16).toString('hex');
  current = this.first;
  previous: { readonly token: string; readonly at: number } | undefined;
  accessToken: string | undefined;
  tokenCalls = 0;
  isRevoked = false;
  readonly known = new Set([this.first]);

  isCurrent(refreshToken: string | undefined): boolean {
    return refreshToken === this.current && !this.isRevoked;
  }

  /** Undefined: refused, and where a token came back that was used up, the whole family with it (RFC 9700 section 4.14.2). */
  refresh(token: string, graceMs: number): object | undefined {
    this.tokenCalls++;
    const inGrace = this.previous?.token === token && performance.now() - this.previous.at < graceMs;
    if (token !== this.current && !inGrace) this.isRevoked = true;
    if (this.isRevoked) return undefined;
    if (token === this.current) this.previous = { token, at: performance.now() };
    this.current = randomBytes(16).toString('hex');
    this.known.add(this.current);
    this.accessToken = randomBytes(16).toString('hex');
    return {
      access_token: this.accessToken,
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: this.current,
    };
  }
}

/** An authorization server that rotates refresh tokens, notices a second use, and can be made to wait at any step. */
export async function startRotatingAuthority(): Promise<RotatingAuthority> {
  const families: Family[] = [];
  const holds = new Map<HoldPoint, (held: HeldRequest) => void>();
  const settings = { graceMs: 60_000 };

  function pass(point: HoldPoint, request: IncomingMessage): Promise<void> {
    const take = holds.get(point);
    if (take === undefined) return Promise.resolve();
    holds.delete(point);
    return new Promise((release) => take({ port: request.socket.remotePort ?? 0, release }));
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readBody(request));
    await pass('request', request);
    const token = form.get('refresh_token') ?? '';
    const family = families.find(({ known }) => known.has(token));
    const tokens = family?.refresh(token, settings.graceMs);
    await pass('answer', request);
    if (tokens === undefined) sendJson(response, 400, { error: 'invalid_grant' });
    else sendJson(response, 200, tokens);
  }

  const server = createServer((request, response) => {
    request.socket.on('error', () => {});
    if (request.url === '/token') void answerToken(request, response);
    else if (request.url === '/.well-known/oauth-authorization-server')
      void pass('metadata', request).then(() => sendJson(response, 200, metadata(issuer)));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(settings, {
    issuer,
    createFamily() {
      const family = new Family();
      families.push(family);
      return family;
    },
    accepts: (token: string) =>
      families.some(({ accessToken, isRevoked }) => accessToken === token && !isRevoked),
    hold: (point: HoldPoint) => new Promise<HeldRequest>((resolve) => holds.set(point, resolve)),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A server whose tool may be called with a token of the authority only. Anybody may list, so that starting hubs need none. */
export function startGuardedUpstream(authority: RotatingAuthority): Promise<ScriptedUpstream> {
  return startUpstream({
    tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
    intercept: ({ rpc, headers }, response) => {
      const token = String(headers['authorization'] ?? '').replace(/^Bearer /, '');
      if (rpc.method !== 'tools/call' || authority.accepts(token)) return false;
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return true;
    },
  });
}

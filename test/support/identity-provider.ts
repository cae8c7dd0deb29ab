import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { loadOidcLibrary, type OidcLibrary } from './oauth/oidc-library.js';

/** What the provider says of the person who signs in next. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whoever comes is this one. */
  person: Person;
  /** Changes what it answers, once for each request it is asked for; undefined: nothing. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Requests to the token endpoint so far. */
  readonly tokenCalls: () => number;
  /** Lets the hub at this address use it. */
  serve(redirectUri: string): void;
  close(): Promise<void>;
}

/** A real OpenID provider on loopback that asks nobody for a password. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const library = await loadOidcLibrary();
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  let tokenCalls = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/token') === true) tokenCalls++;
    if (provider.interfere?.(request, response) === true) return;
    if (answer === undefined) response.writeHead(503).end();
    else answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    issuer,
    clientId: 'hub',
    clientSecret: 'canary-client-secret-0123456789',
    person: { sub: 'nobody' },
    interfere: undefined,
    tokenCalls: () => tokenCalls,
    serve(redirectUri) {
      answer = createHandler(library, provider, redirectUri);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

function createHandler(
  library: OidcLibrary,
  given: IdentityProvider,
  redirectUri: string,
): (request: IncomingMessage, response: ServerResponse) => void {
  const oidc = new library.Provider(given.issuer, {
    jwks: library.jwks,
    clients: [{ client_id: given.clientId, client_secret: given.clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...given.person, sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 1, Interaction: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
  });
  const callback = oidc.callback();
  return (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) void agree(oidc, given, request, response);
    else void callback(request, response);
  };
}

/** Signs the person in and consents to whatever was asked for. */
async function agree(
  oidc: Provider,
  { clientId, person }: IdentityProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const grant = new oidc.Grant({ accountId: person.sub, clientId });
  grant.addOIDCScope('openid email groups');
  const grantId = await grant.save();
  await oidc.interactionFinished(request, response, {
    login: { accountId: person.sub },
    consent: { grantId },
  });
}

/** Walks through the provider as a browser would, and tells where it was sent in the end. */
export async function passProvider(location: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = location;
  for (let step = 0; step < 10 && at.startsWith(issuer); step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const given of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (given.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    at = new URL(next, at).href;
  }
  return at;
}

import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import {
  createIssuerCheck,
  createTokenVerifier,
  digestKey,
  type Agent,
  type TokenVerifier,
  type TrustedIssuer,
} from '../../src/agents/index.js';
import { toAgentId } from '../../src/kernel/index.js';

/** An issuer of tokens without a network, and time that passes when told to. */

export const ISSUER = 'https://issuer.example';
export const RESOURCE = 'https://hub.example/mcp';
export const CI: Agent = {
  id: toAgentId('ci'),
  name: 'CI',
  enabled: true,
  tags: [],
  source: 'stored',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};
export const TRUSTED: TrustedIssuer = {
  issuer: ISSUER,
  audience: undefined,
  jwksUri: undefined,
  algorithms: ['RS256', 'ES256'],
  types: ['at+jwt', 'JWT'],
  requiredScopes: [],
  introspection: undefined,
  agents: { claim: 'sub', map: { alice: 'ci' }, template: undefined, automatic: undefined },
};

interface Pair {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function makePair(kid: string, alg = 'ES256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const [first, second, rsa] = await Promise.all([
  makePair('first'),
  makePair('second'),
  makePair('rsa', 'RS256'),
]);

export { rsa, second };

/** An issuer on the web, as far as `fetch` shows it. */
export const web = {
  keys: [] as JWK[],
  down: false,
  asked: [] as string[],
  answer: {} as Record<string, unknown>,
};
const time = { now: 0, monotonic: 0 };
export const agents = new Map<string, Agent>();
export const enrolled: unknown[] = [];

function fetchFromWeb(url: string, init: { readonly body?: string } = {}): Promise<Response> {
  web.asked.push(url);
  if (web.down) return Promise.reject(new Error('down'));
  if (url === `${ISSUER}/.well-known/openid-configuration`)
    return Promise.resolve(Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }));
  if (url === `${ISSUER}/keys`) return Promise.resolve(Response.json({ keys: web.keys }));
  if (url === `${ISSUER}/introspect`) {
    const isKnown = new URLSearchParams(init.body).get('token') === 'opaque-token';
    return Promise.resolve(Response.json(isKnown ? web.answer : { active: false }));
  }
  return Promise.resolve(new Response('', { status: 404 }));
}

/** As it is at the beginning of each test. */
export function resetIssuer(): void {
  Object.assign(web, { keys: [first.jwk], down: false, asked: [], answer: {} });
  time.now = 1_800_000_000_000;
  time.monotonic = 0;
  agents.clear();
  agents.set('ci', CI);
  enrolled.length = 0;
}

export function open(change: Partial<TrustedIssuer> = {}): TokenVerifier {
  const verifier = createTokenVerifier({
    clock,
    isOwnAudience: (audience) => audience === RESOURCE,
    isOwnSecret: (token) => Promise.resolve(token.startsWith('own-')),
  });
  const check = createIssuerCheck(
    { ...TRUSTED, ...change },
    {
      agents: { find: (id) => Promise.resolve(agents.get(id)) },
      enrol(request) {
        enrolled.push(request);
        const agent: Agent = { ...CI, id: request.id, name: request.name, tags: request.tags };
        agents.set(request.id, agent);
        return Promise.resolve(agent);
      },
      fetch: fetchFromWeb,
      clock,
    },
  );
  verifier.configure([check]);
  return verifier;
}

export interface TokenChange {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
}

export function makeToken({
  claims = {},
  header = {},
  key = first.privateKey,
}: TokenChange = {}): Promise<string> {
  const now = Math.floor(time.now / 1000);
  return new SignJWT({ iss: ISSUER, aud: RESOURCE, sub: 'alice', iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'first', typ: 'at+jwt', ...header })
    .sign(key);
}

export const verify = (verifier: TokenVerifier, token: string) => verifier.verify(token, digestKey(token));
export const pass = (ms: number): void => {
  time.now += ms;
  time.monotonic += ms;
};
export const seconds = (delta: number): number => Math.floor(time.now / 1000) + delta;
export const clock = { now: () => time.now, monotonic: () => time.monotonic };

import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Secret, toAgentId } from '../kernel/index.js';
import type { Agent } from './agent.js';
import { createAuthenticator, digestKey } from './authenticator.js';
import { createIssuerCheck } from './issuer-check.js';
import type { TrustedIssuer } from './token-issuer.js';
import { createTokenVerifier, type TokenVerifier } from './token-verifier.js';

const ISSUER = 'https://issuer.example';
const RESOURCE = 'https://hub.example/mcp';
const CI: Agent = {
  id: toAgentId('ci'),
  name: 'CI',
  enabled: true,
  tags: [],
  source: 'stored',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};
const TRUSTED: TrustedIssuer = {
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

let first: Pair;
let second: Pair;
let rsa: Pair;
beforeAll(async () => {
  [first, second, rsa] = await Promise.all([makePair('first'), makePair('second'), makePair('rsa', 'RS256')]);
});

/** An issuer on the web, as far as `fetch` shows it. */
const web = { keys: [] as JWK[], down: false, asked: [] as string[], answer: {} as Record<string, unknown> };
const time = { now: 0, monotonic: 0 };
const agents = new Map<string, Agent>();
const enrolled: unknown[] = [];

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

beforeEach(() => {
  Object.assign(web, { keys: [first.jwk], down: false, asked: [], answer: {} });
  time.now = 1_800_000_000_000;
  time.monotonic = 0;
  agents.clear();
  agents.set('ci', CI);
  enrolled.length = 0;
});

function open(change: Partial<TrustedIssuer> = {}): TokenVerifier {
  const clock = { now: () => time.now, monotonic: () => time.monotonic };
  const verifier = createTokenVerifier({ clock, isOwnAudience: (audience) => audience === RESOURCE });
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

interface TokenChange {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
}

function makeToken({ claims = {}, header = {}, key = first.privateKey }: TokenChange = {}): Promise<string> {
  const now = Math.floor(time.now / 1000);
  return new SignJWT({ iss: ISSUER, aud: RESOURCE, sub: 'alice', iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'first', typ: 'at+jwt', ...header })
    .sign(key);
}

const verify = (verifier: TokenVerifier, token: string) => verifier.verify(token, digestKey(token));
const pass = (ms: number): void => {
  time.now += ms;
  time.monotonic += ms;
};
const seconds = (delta: number): number => Math.floor(time.now / 1000) + delta;

describe('a good token', () => {
  test('leads to its agent, with its scopes', async () => {
    const token = await makeToken({ claims: { scope: 'tools:write mcp mcp' } });
    expect(await verify(open(), token)).toMatchObject({
      outcome: 'accepted',
      agent: { id: 'ci', scopes: ['mcp', 'tools:write'] },
      audience: [RESOURCE],
    });
  });

  test.each<readonly [string, TokenChange, Partial<TrustedIssuer>]>([
    ['with scopes as a list', { claims: { scp: ['mcp'] } }, {}],
    ['for several, us among them', { claims: { aud: ['https://other.example', RESOURCE] } }, {}],
    ['with the plain type', { header: { typ: 'JWT' } }, {}],
    ['without a type', { header: { typ: undefined } }, {}],
    ['with the long form of its type', { header: { typ: 'application/at+jwt' } }, {}],
    ['that ended 59 s ago by our clock', { claims: { exp: 1_800_000_000 - 59 } }, {}],
    ['that begins in 59 s by our clock', { claims: { nbf: 1_800_000_000 + 59 } }, {}],
    ['for a name the operator gave us', { claims: { aud: 'api://hub' } }, { audience: ['api://hub'] }],
  ])('%s is accepted', async (_what, change, trusted) => {
    expect(await verify(open(trusted), await makeToken(change))).toMatchObject({ outcome: 'accepted' });
  });

  test('of another algorithm that is allowed', async () => {
    web.keys = [rsa.jwk];
    const token = await makeToken({ header: { alg: 'RS256', kid: 'rsa' }, key: rsa.privateKey });
    expect(await verify(open(), token)).toMatchObject({ outcome: 'accepted' });
  });
});

describe('B1.10: a token is refused', () => {
  const refused: readonly (readonly [string, () => Promise<string> | string, Partial<TrustedIssuer>?])[] = [
    [
      'without a signature',
      () =>
        new UnsecuredJWT({ iss: ISSUER, aud: RESOURCE, sub: 'alice' })
          .setExpirationTime(seconds(600))
          .encode(),
    ],
    [
      'signed with the public key as a secret',
      async () => {
        const secret = new TextEncoder().encode(await exportSPKI(rsa.publicKey));
        web.keys = [rsa.jwk];
        return makeToken({ header: { alg: 'HS256', kid: 'rsa' }, key: secret });
      },
    ],
    ['signed by somebody else', () => makeToken({ key: second.privateKey })],
    ['whose key nobody knows', () => makeToken({ header: { kid: 'second' }, key: second.privateKey })],
    ['of an algorithm that is not allowed', () => makeToken(), { algorithms: ['RS256'] }],
    ['of another issuer', () => makeToken({ claims: { iss: 'https://other.example' } })],
    ['of an issuer that differs by a slash', () => makeToken({ claims: { iss: `${ISSUER}/` } })],
    ['for somebody else', () => makeToken({ claims: { aud: 'https://other.example/mcp' } })],
    ['for nobody', () => makeToken({ claims: { aud: undefined } })],
    ['for our address where the operator named another', () => makeToken(), { audience: ['api://hub'] }],
    ['of the wrong type', () => makeToken({ header: { typ: 'logout+jwt' } })],
    ['of a type that is not allowed', () => makeToken({ header: { typ: 'JWT' } }), { types: ['at+jwt'] }],
    ['O-19: that ended 61 s ago', () => makeToken({ claims: { exp: seconds(-61) } })],
    ['without an end', () => makeToken({ claims: { exp: undefined } })],
    ['that begins in 61 s', () => makeToken({ claims: { nbf: seconds(61) } })],
    ['of nobody we know', () => makeToken({ claims: { sub: 'mallory' } })],
    ['of a name that objects have by themselves', () => makeToken({ claims: { sub: 'constructor' } })],
    ['that was changed', async () => `${(await makeToken()).slice(0, -6)}AAAAAA`],
    ['that is cut', async () => (await makeToken()).split('.').slice(0, 2).join('.')],
    ['that is no token', () => 'cpk_0123456789abcdef0123456789'],
    ['without end', () => `${'e'.repeat(20_000)}.e.e`],
  ];
  test.each(refused.map(([what, make, trusted = {}]) => [what, make, trusted] as const))(
    '%s',
    async (_what, make, trusted) => {
      const token = await make();
      expect(await verify(open(trusted), token)).toMatchObject({
        outcome: 'refused',
        error: 'invalid_token',
      });
      expect(enrolled).toEqual([]);
    },
  );

  test('for an agent that is off, and for one that is not there', async () => {
    agents.set('ci', { ...CI, enabled: false });
    expect(await verify(open(), await makeToken())).toMatchObject({ outcome: 'refused' });
    agents.clear();
    expect(await verify(open(), await makeToken())).toMatchObject({ outcome: 'refused' });
  });

  test('S59: without a scope that is needed, and all are named', async () => {
    const verifier = open({ requiredScopes: ['mcp', 'tools'] });
    expect(await verify(verifier, await makeToken({ claims: { scope: 'mcp' } }))).toMatchObject({
      outcome: 'refused',
      error: 'insufficient_scope',
      scopes: ['mcp', 'tools'],
    });
    const elsewhere = await makeToken({ claims: { aud: 'https://other.example' } });
    expect(await verify(verifier, elsewhere)).toMatchObject({ error: 'invalid_token' });
  });
});

describe('keys of an issuer', () => {
  test('are found through its metadata, and fetched once', async () => {
    const verifier = open();
    await Promise.all([1, 2, 3].map(async (n) => verify(verifier, await makeToken({ claims: { n } }))));
    expect(web.asked.filter((url) => url.endsWith('/keys'))).toHaveLength(1);
    pass(9 * 60_000);
    await verify(verifier, await makeToken({ claims: { n: 4 } }));
    expect(web.asked.filter((url) => url.endsWith('/keys'))).toHaveLength(1);
  });

  test('that are new are fetched, but not for everybody who makes one up', async () => {
    const verifier = open();
    await verify(verifier, await makeToken());
    web.keys = [second.jwk];
    const fresh = () => makeToken({ header: { kid: 'second' }, key: second.privateKey });
    pass(1_000);
    expect(await verify(verifier, await fresh())).toMatchObject({ outcome: 'refused' });
    pass(30_000);
    expect(await verify(verifier, await fresh())).toMatchObject({ outcome: 'accepted' });
    expect(await verify(verifier, await makeToken({ claims: { n: 1 } }))).toMatchObject({
      outcome: 'refused',
    });
    const asked = web.asked.length;
    for (const kid of ['a', 'b', 'c']) await verify(verifier, await makeToken({ header: { kid } }));
    expect(web.asked).toHaveLength(asked);
  });

  test('that cannot be had are no fault of the token; it is tried again a moment later', async () => {
    const verifier = open({ jwksUri: `${ISSUER}/keys` });
    web.down = true;
    const token = await makeToken();
    expect(await verify(verifier, token)).toMatchObject({ outcome: 'refused', error: 'unavailable' });
    expect(await verify(verifier, token)).toMatchObject({ error: 'unavailable' });
    expect(web.asked).toHaveLength(1);
    web.down = false;
    pass(5_001);
    expect(await verify(verifier, token)).toMatchObject({ outcome: 'accepted' });
  });

  test('that are known serve on while the issuer is down', async () => {
    const verifier = open();
    await verify(verifier, await makeToken());
    web.down = true;
    pass(20 * 60_000);
    expect(await verify(verifier, await makeToken())).toMatchObject({ outcome: 'accepted' });
  });
});

describe('B1.8: verdicts', () => {
  test('are remembered for a minute, and never beyond the end of the token', async () => {
    const verifier = open();
    const long = await makeToken();
    await verify(verifier, long);
    pass(59_999);
    expect(verifier.remembered(digestKey(long))).toMatchObject({ outcome: 'accepted' });
    pass(2);
    expect(verifier.remembered(digestKey(long))).toBeUndefined();
    const short = await makeToken({ claims: { exp: seconds(10) } });
    await verify(verifier, short);
    pass(10_001);
    expect(verifier.remembered(digestKey(short))).toBeUndefined();
  });

  test('are forgotten at once, also those under way', async () => {
    const verifier = open();
    const token = await makeToken();
    await verify(verifier, token);
    verifier.forget();
    expect(verifier.remembered(digestKey(token))).toBeUndefined();
    const underWay = verify(verifier, token);
    verifier.forget();
    await underWay;
    expect(verifier.remembered(digestKey(token))).toBeUndefined();
  });

  test('of tokens that allow the same lead to one agent object', async () => {
    const verifier = open();
    const [one, other] = await Promise.all(
      [1, 2].map(async (n) => verify(verifier, await makeToken({ claims: { n, scope: 'mcp' } }))),
    );
    if (one?.outcome !== 'accepted' || other?.outcome !== 'accepted') throw new Error('refused');
    expect(one.agent).toBe(other.agent);
  });

  test('do not slow keys down: a known key is answered at once', async () => {
    const key = 'cpk_0123456789abcdef0123456789';
    const authenticator = createAuthenticator({
      agents: {
        findByKeyDigest: (digest) =>
          Promise.resolve(
            digest === digestKey(key)
              ? { agent: CI, key: { digest, expiresAt: undefined } as never }
              : undefined,
          ),
      },
      clock: { now: () => time.now, monotonic: () => time.monotonic },
      tokens: open(),
    });
    expect(await authenticator.identify(key)).toBe(CI);
    expect(authenticator.identify(key)).toBe(CI);
    const token = await makeToken();
    expect(await authenticator.identify(token)).toMatchObject({ outcome: 'accepted' });
    expect(authenticator.identify(token)).toMatchObject({ outcome: 'accepted' });
    expect(await authenticator.authenticate(token)).toBeUndefined();
    expect(web.asked.length).toBeGreaterThan(0);
  });
});

describe('introspection', () => {
  const introspection = {
    url: `${ISSUER}/introspect`,
    clientId: 'hub',
    clientSecret: new Secret('introspection-secret'),
  };

  test.each<readonly [string, Record<string, unknown>, string]>([
    ['good', {}, 'accepted'],
    ['no longer active', { active: false }, 'refused'],
    ['of another issuer', { iss: 'https://other.example' }, 'refused'],
    ['for somebody else', { aud: 'https://other.example' }, 'refused'],
    ['for nobody', { aud: undefined }, 'refused'],
    ['past its end', { exp: 1_800_000_000 - 61 }, 'refused'],
    ['with an end that is none', { exp: 'soon' }, 'refused'],
    ['not yet good', { nbf: 1_800_000_000 + 61 }, 'refused'],
  ])('a token that is %s: %s', async (_what, change, outcome) => {
    web.answer = { active: true, aud: RESOURCE, sub: 'alice', scope: 'mcp', exp: seconds(600), ...change };
    expect(await verify(open({ introspection }), 'opaque-token')).toMatchObject({ outcome });
  });

  test('that fails says nothing about the token; an unknown token is asked about once', async () => {
    const verifier = open({ introspection });
    web.down = true;
    expect(await verify(verifier, 'opaque-token')).toMatchObject({ error: 'unavailable' });
    web.down = false;
    await verify(verifier, 'unknown-token');
    expect(verifier.remembered(digestKey('unknown-token'))).toMatchObject({ outcome: 'refused' });
  });
});

describe('whom a token stands for', () => {
  const rules = (agents_: Partial<TrustedIssuer['agents']>): Partial<TrustedIssuer> => ({
    agents: { ...TRUSTED.agents, map: {}, ...agents_ },
  });

  test.each<readonly [string, Partial<TrustedIssuer['agents']>, Record<string, unknown>, string | undefined]>(
    [
      ['a claim by its value', { claim: 'team', map: { build: 'ci' } }, { team: 'build' }, 'ci'],
      ['one of a list', { claim: 'groups', map: { build: 'ci' } }, { groups: ['x', 'build'] }, 'ci'],
      ['a template', { template: '{value}' }, { sub: 'ci' }, 'ci'],
      ['a template that makes no id', { template: 'u-{value}' }, { sub: 'a b' }, undefined],
      ['a template for an agent that is not there', { template: 'u-{value}' }, { sub: 'x' }, undefined],
      ['a list without a rule', { claim: 'groups', template: '{value}' }, { groups: ['ci', 'x'] }, undefined],
      ['nothing', {}, { sub: 'ci' }, undefined],
    ],
  )('%s', async (_what, given, claims, expected) => {
    const verdict = await verify(open(rules(given)), await makeToken({ claims }));
    expect(verdict.outcome === 'accepted' ? verdict.agent.id : undefined).toBe(expected);
  });

  test('agents are made for those nobody named, under ids nobody can aim at', async () => {
    const verifier = open(rules({ automatic: { tags: ['guest'] } }));
    const token = await makeToken({ claims: { sub: 'ci', name: 'Somebody\u0000 new' } });
    const verdict = await verify(verifier, token);
    if (verdict.outcome !== 'accepted') throw new Error(verdict.reason);
    expect(verdict.agent).toMatchObject({ name: 'Somebody  new', tags: ['guest'] });
    expect(verdict.agent.id).toMatch(/^oauth-[0-9a-f]{24}$/);
    await verify(verifier, await makeToken({ claims: { sub: 'ci', n: 2 } }));
    expect(enrolled).toHaveLength(1);
  });
});

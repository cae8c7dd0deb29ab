import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import {
  CI,
  clock,
  enrolled,
  ISSUER,
  makeToken,
  open,
  pass,
  resetIssuer,
  RESOURCE,
  second,
  seconds,
  TRUSTED,
  verify,
  web,
} from '../../test/support/scripted-issuer.js';
import { createAuthenticator, digestKey } from './authenticator.js';
import type { IssuerCheck, TrustedIssuer } from './token-issuer.js';

beforeEach(resetIssuer);

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

  test('that refuse are remembered for ten seconds, those that could not be found out not at all', async () => {
    const verifier = open();
    const bad = await makeToken({ claims: { aud: 'https://other.example' } });
    await verify(verifier, bad);
    pass(9_999);
    expect(verifier.remembered(digestKey(bad))).toMatchObject({ outcome: 'refused' });
    pass(1);
    expect(verifier.remembered(digestKey(bad))).toBeUndefined();
    const fresh = open();
    web.down = true;
    const token = await makeToken();
    expect(await verify(fresh, token)).toMatchObject({ error: 'unavailable' });
    expect(fresh.remembered(digestKey(token))).toBeUndefined();
  });

  test('of tokens that allow something else lead to another agent object', async () => {
    const verifier = open();
    const scopes = ['a', 'b'].map(async (scope) => verify(verifier, await makeToken({ claims: { scope } })));
    const found = (await Promise.all(scopes)).map((verdict) =>
      verdict.outcome === 'accepted' ? verdict.agent.scopes : undefined,
    );
    expect(found).toEqual([['a'], ['b']]);
  });

  test('are made only where anybody has tokens', async () => {
    const verifier = open();
    expect(verifier.isOn).toBe(true);
    verifier.configure([]);
    expect(verifier.isOn).toBe(false);
    expect(await verify(verifier, await makeToken())).toMatchObject({ outcome: 'refused' });
  });

  test('of what is too long are not even begun', async () => {
    let checked = 0;
    const verifier = open();
    const check: IssuerCheck = {
      issuer: () => ISSUER,
      takesOpaque: true,
      audience: undefined,
      requiredScopes: [],
      check: () => {
        checked++;
        return Promise.resolve({ audience: [RESOURCE], scopes: [], expiresAt: clock.now() + 1, all: {} });
      },
      findAgent: () => Promise.resolve(CI),
    };
    verifier.configure([check]);
    expect(await verify(verifier, 'x'.repeat(16_385))).toMatchObject({ outcome: 'refused' });
    expect(checked).toBe(0);
    expect(await verify(verifier, 'x'.repeat(16_384))).toMatchObject({ outcome: 'accepted' });
    for (const payload of ['null', '7', '{"iss":7}', '{', '"text"'])
      await verify(verifier, `e30.${Buffer.from(payload).toString('base64url')}.x`);
    expect(checked).toBe(6);
    await verify(verifier, `e30.${Buffer.from('{"iss":"https://other.example"}').toString('base64url')}.x`);
    expect(checked).toBe(6);
    verifier.configure([{ ...check, takesOpaque: false }]);
    expect(await verify(verifier, 'opaque-token')).toMatchObject({ outcome: 'refused' });
    expect(checked).toBe(6);
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
      clock,
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

import { exportSPKI, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  agents,
  CI,
  enrolled,
  ISSUER,
  makeToken,
  open,
  resetIssuer,
  RESOURCE,
  rsa,
  second,
  seconds,
  verify,
  web,
  type TokenChange,
} from '../../test/support/scripted-issuer.js';
import { toAgentId } from '../kernel/index.js';
import { TOKEN_ALGORITHMS, type TrustedIssuer } from './token-issuer.js';

beforeEach(resetIssuer);

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

test.each<readonly [string, () => Promise<string>, RegExp, Partial<TrustedIssuer>]>([
  ['its end', () => makeToken({ claims: { exp: seconds(-61) } }), /expired/, {}],
  ['its beginning', () => makeToken({ claims: { nbf: seconds(61) } }), /\bnbf\b/, {}],
  ['its audience', () => makeToken({ claims: { aud: undefined } }), /\baud\b/, {}],
  ['its type', () => makeToken({ header: { typ: 'logout+jwt' } }), /type/, {}],
  ['its key', () => makeToken({ header: { kid: 'second' }, key: second.privateKey }), /unknown key/, {}],
  ['its signature', () => makeToken({ key: second.privateKey }), /genuine/, {}],
  ['its algorithm', () => makeToken(), /genuine/, { algorithms: ['RS256'] }],
])('the record says that %s was wrong', async (_what, make, reason, trusted) => {
  expect(await verify(open(trusted), await make())).toMatchObject({
    reason: expect.stringMatching(reason) as string,
  });
});

test('only signatures that nobody can make who can check them', () => {
  expect(TOKEN_ALGORITHMS).toEqual([
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
  ]);
});

test('the agent that every hub has is nobody a token can name, unless the operator mapped it', async () => {
  agents.set('local', { ...CI, id: toAgentId('local'), source: 'built_in' });
  const rules = { claim: 'sub', map: { boss: 'local' }, template: '{value}', automatic: { tags: [] } };
  const verifier = open({ agents: rules });
  const verdictOf = async (sub: string) => verify(verifier, await makeToken({ claims: { sub } }));
  expect(await verdictOf('local')).toMatchObject({ outcome: 'refused', error: 'invalid_token' });
  expect(await verdictOf('boss')).toMatchObject({ outcome: 'accepted', agent: { id: 'local' } });
  expect(await verdictOf('ci')).toMatchObject({ outcome: 'accepted', agent: { id: 'ci' } });
  expect(enrolled).toEqual([]);
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
    const none = await makeToken({ claims: { scope: 'other' } });
    expect(await verify(verifier, none)).toMatchObject({ error: 'insufficient_scope' });
    const both = await makeToken({ claims: { scope: 'tools mcp' } });
    expect(await verify(verifier, both)).toMatchObject({ outcome: 'accepted' });
    const elsewhere = await makeToken({ claims: { aud: 'https://other.example' } });
    expect(await verify(verifier, elsewhere)).toMatchObject({ error: 'invalid_token' });
  });
});

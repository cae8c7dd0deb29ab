import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HubError, Secret, silentLogger, type LogFields } from '../kernel/index.js';
import { createOpenIdExchange, type ProviderFetch } from './openid-exchange.js';
import type { BegunSignIn, SingleSignOnSettings } from './single-sign-on.js';

/** A provider of the test's own, reached through the fetch that the hub would give. */

const ISSUER = 'https://idp.example/';
const REDIRECT = 'https://hub.example/callback';

interface Asked {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: URLSearchParams | undefined;
  readonly signal: AbortSignal | undefined;
}

let keys: { readonly privateKey: CryptoKey; readonly jwk: JWK };
let strange: CryptoKey;
let metadata: Record<string, unknown>;
let claims: Record<string, unknown>;
let more: Record<string, unknown> | undefined;
let signedWith: CryptoKey;
let trouble: { readonly at: string; readonly error: Error } | undefined;
let failing: Readonly<Record<string, number>>;
let logged: { readonly fields: LogFields; readonly message: string }[];
let asked: Asked[];
let issuers: string[];

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  keys = { privateKey, jwk: { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k', use: 'sig' } };
  strange = (await generateKeyPair('ES256')).privateKey;
});

beforeEach(() => {
  metadata = {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}authorize?tenant=1`,
    token_endpoint: `${ISSUER}token`,
    jwks_uri: `${ISSUER}keys`,
    userinfo_endpoint: `${ISSUER}userinfo`,
    id_token_signing_alg_values_supported: ['ES256'],
  };
  claims = { sub: 'u1', email: 'anna@example.com', email_verified: true };
  more = undefined;
  signedWith = keys.privateKey;
  trouble = undefined;
  failing = {};
  logged = [];
  asked = [];
  issuers = [];
});

async function answerOf(path: string, nonce: string): Promise<object> {
  switch (path) {
    case '/.well-known/openid-configuration':
      return metadata;
    case '/keys':
      return { keys: [keys.jwk] };
    case '/userinfo':
      return { sub: claims['sub'], ...more };
    default: {
      const idToken = await new SignJWT({ nonce, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(ISSUER)
        .setAudience(typeof claims['aud'] === 'string' ? claims['aud'] : 'hub')
        .setIssuedAt()
        .setExpirationTime(typeof claims['exp'] === 'number' ? claims['exp'] : '5m')
        .sign(signedWith);
      return { access_token: 'at', token_type: 'Bearer', id_token: idToken };
    }
  }
}

const exchange = createOpenIdExchange({
  logger: { ...silentLogger, warn: (fields, message) => logged.push({ fields, message }) },
  fetchFor: (issuer): ProviderFetch => {
    issuers.push(issuer.href);
    return async (input, init) => {
      const { pathname } = new URL(input);
      const headers = new Headers(init.headers);
      const body = init.body ?? undefined;
      asked.push({
        url: input,
        authorization: headers.get('authorization') ?? undefined,
        body,
        signal: init.signal ?? undefined,
      });
      if (trouble?.at === pathname) throw trouble.error;
      const status = failing[pathname];
      if (status !== undefined) return Response.json({ error: 'canary words' }, { status });
      return Response.json(await answerOf(pathname, 'n'));
    };
  },
});

const SETTINGS: SingleSignOnSettings = {
  issuer: new URL(ISSUER),
  clientId: 'hub',
  clientSecret: new Secret('s3cret'),
  scopes: ['email', 'groups', 'openid'],
  claim: undefined,
  roles: { owner: [], operator: [], viewer: [] },
  agents: {},
};

const BEGUN: BegunSignIn = {
  issuer: ISSUER,
  redirectUri: REDIRECT,
  state: 'state',
  nonce: 'n',
  codeVerifier: 'v'.repeat(43),
  authorizationUrl: '',
};

const finish = (settings: Partial<SingleSignOnSettings> = {}, answer: object = {}, signal?: AbortSignal) =>
  exchange.finish(
    { ...SETTINGS, ...settings },
    BEGUN,
    new URLSearchParams({ code: 'c', state: 'state', ...answer }),
    signal,
  );

describe('beginning', () => {
  test('sends the browser with everything that binds the answer to it', async () => {
    const { signal } = new AbortController();
    const begun = await exchange.begin(SETTINGS, REDIRECT, signal);
    const url = new URL(begun.authorizationUrl);
    expect(`${url.origin}${url.pathname}`).toBe(`${ISSUER}authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: '1',
      client_id: 'hub',
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'openid email groups',
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: createHash('sha256').update(begun.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(begun).toMatchObject({ issuer: ISSUER, redirectUri: REDIRECT });
    const again = await exchange.begin(SETTINGS, REDIRECT);
    for (const name of ['state', 'nonce', 'codeVerifier'] as const) expect(again[name]).not.toBe(begun[name]);
    expect(issuers).toEqual([ISSUER, ISSUER]);
    expect(asked.map(({ url: address }) => address)).toEqual([
      `${ISSUER}.well-known/openid-configuration`,
      `${ISSUER}.well-known/openid-configuration`,
    ]);
    expect(asked[0]?.signal).toBe(signal);
    expect(asked[1]?.signal).toBeUndefined();
  });

  test('may go without encryption where the fetch permits it', async () => {
    metadata['authorization_endpoint'] = 'http://idp.example/authorize';
    expect((await exchange.begin(SETTINGS, REDIRECT)).authorizationUrl).toMatch(/^http:\/\/idp\.example\//);
  });

  test.each([
    ['no address for browsers', { authorization_endpoint: undefined }],
    ['an address that is none', { authorization_endpoint: 'authorize' }],
    ['an address that a browser would run', { authorization_endpoint: 'javascript:alert(1)' }],
    ['the name of another', { issuer: 'https://other.example/' }],
  ])('%s is refused', async (_what, change) => {
    Object.assign(metadata, change);
    await expect(exchange.begin(SETTINGS, REDIRECT)).rejects.toMatchObject({ code: 'oauth_refused' });
  });
});

describe('who it was', () => {
  test.each<[string, Record<string, unknown>, Partial<SingleSignOnSettings>, string, readonly string[]]>([
    ['the address where it is verified', {}, {}, 'anna@example.com', ['anna@example.com']],
    ['the subject where it is not', { email_verified: false }, {}, 'u1', ['u1']],
    ['the subject where nobody says', { email_verified: undefined }, {}, 'u1', ['u1']],
    ['the subject where the address is none', { email: 'a\u0000b' }, {}, 'u1', ['u1']],
    ['the subject where the address is too long', { email: 'a'.repeat(257) }, {}, 'u1', ['u1']],
    ['what a claim says', { groups: ['a', 7, '', 'b'] }, { claim: 'groups' }, 'anna@example.com', ['a', 'b']],
    ['what a claim says in one word', { groups: 'a' }, { claim: 'groups' }, 'anna@example.com', ['a']],
    ['nothing where a claim is missing', {}, { claim: 'groups' }, 'anna@example.com', []],
  ])('%s', async (_what, change, settings, id, values) => {
    Object.assign(claims, change);
    expect(await finish(settings)).toEqual({ issuer: ISSUER, id, values });
  });

  test('of very many values the first five hundred count', async () => {
    claims['groups'] = Array.from({ length: 600 }, (_, n) => `g${n}`);
    expect((await finish({ claim: 'groups' })).values).toHaveLength(500);
  });

  test('a name that cannot be shown is refused', async () => {
    Object.assign(claims, { sub: 'u\n1', email: undefined });
    await expect(finish()).rejects.toMatchObject({ code: 'oauth_refused' });
  });

  const infoCalls = () => asked.filter(({ url }) => url.endsWith('/userinfo'));

  test('what the token does not say is asked for, and the token wins', async () => {
    Object.assign(claims, { email: undefined, email_verified: undefined, groups: ['from-token'] });
    more = { email: 'bert@example.com', email_verified: true, groups: ['from-info'] };
    expect(await finish({ claim: 'groups' })).toMatchObject({
      id: 'bert@example.com',
      values: ['from-token'],
    });
    expect(infoCalls().map(({ authorization }) => authorization)).toEqual(['Bearer at']);
    claims['email'] = 'anna@example.com';
    expect((await finish()).id).toBe('u1');
    expect(infoCalls()).toHaveLength(1);
    delete claims['groups'];
    expect((await finish({ claim: 'groups' })).values).toEqual(['from-info']);
  });

  test('what was told of somebody else is refused', async () => {
    claims['email'] = undefined;
    more = { sub: 'u2', email: 'eve@example.com', email_verified: true };
    await expect(finish()).rejects.toMatchObject({ code: 'oauth_refused' });
  });

  test('a place to ask that fails ends nothing where the token says what decides', async () => {
    Object.assign(claims, { email: undefined, groups: ['a'] });
    for (const status of [404, 429, 500]) {
      failing = { '/userinfo': status };
      expect(await finish({ claim: 'groups' })).toEqual({ issuer: ISSUER, id: 'u1', values: ['a'] });
    }
    expect(logged).toHaveLength(3);
    failing = {};
    trouble = { at: '/userinfo', error: new HubError('upstream_timeout', 'x') };
    expect((await finish({ claim: 'groups' })).values).toEqual(['a']);
    await expect(finish()).rejects.toMatchObject({ code: 'oauth_unavailable' });
    trouble = undefined;
    more = { sub: 'u2' };
    await expect(finish({ claim: 'groups' })).rejects.toMatchObject({ code: 'oauth_refused' });
  });

  test('without a place to ask, the token is all there is', async () => {
    Object.assign(claims, { email: undefined });
    delete metadata['userinfo_endpoint'];
    expect((await finish()).id).toBe('u1');
  });
});

describe('the code', () => {
  const tokenCall = () => asked.find(({ url }) => url.endsWith('/token'));

  test('is shown with what was kept back, and whoever waits may give up', async () => {
    const { signal } = new AbortController();
    await finish({}, {}, signal);
    expect(Object.fromEntries(tokenCall()?.body ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: REDIRECT,
      code_verifier: BEGUN.codeVerifier,
    });
    expect(tokenCall()?.signal).toBe(signal);
    expect(tokenCall()?.authorization).toBe(`Basic ${Buffer.from('hub:s3cret').toString('base64')}`);
  });

  test.each<[string, readonly string[] | undefined, Secret | undefined, string | undefined, string | null]>([
    ['nobody says how', undefined, new Secret('x'), 'Basic', null],
    ['both ways', ['client_secret_post', 'client_secret_basic'], new Secret('x'), 'Basic', null],
    ['only in the body', ['client_secret_post'], new Secret('x'), undefined, 'x'],
    ['another way', ['private_key_jwt'], new Secret('x'), 'Basic', null],
    ['there is no secret', ['client_secret_post'], undefined, undefined, null],
  ])('the hub proves itself: %s', async (_what, methods, clientSecret, scheme, inBody) => {
    if (methods !== undefined) metadata['token_endpoint_auth_methods_supported'] = methods;
    await finish({ clientSecret });
    expect(tokenCall()?.authorization?.split(' ')[0]).toBe(scheme);
    expect(tokenCall()?.body?.get('client_secret')).toBe(inBody);
  });

  test.each<[string, () => Promise<unknown>, boolean]>([
    ['another state', () => finish({}, { state: 'other' }), false],
    ['another issuer', () => finish({}, { iss: 'https://other.example/' }), false],
    ['the no of the provider', () => finish({}, { error: 'access_denied' }), false],
    ['a token for somebody else', () => finish({ clientId: 'another' }), true],
    [
      'a token of another sign-in',
      () => {
        claims['nonce'] = 'other';
        return finish();
      },
      true,
    ],
    [
      'a token signed by somebody else',
      () => {
        signedWith = strange;
        return finish();
      },
      true,
    ],
  ])('%s is refused', async (_what, run, isShown) => {
    await expect(run()).rejects.toMatchObject({ code: 'oauth_refused' });
    expect(tokenCall() !== undefined).toBe(isShown);
  });

  test('a clock that is a minute behind is no reason to refuse a token', async () => {
    const now = Math.floor(Date.now() / 1000);
    claims['exp'] = now - 50;
    expect((await finish()).id).toBe('anna@example.com');
    claims['exp'] = now - 70;
    await expect(finish()).rejects.toMatchObject({ code: 'oauth_refused' });
  });

  test.each<[string, number, string]>([
    ['/.well-known/openid-configuration', 502, 'oauth_unavailable'],
    ['/token', 500, 'oauth_unavailable'],
    ['/token', 429, 'oauth_unavailable'],
    ['/token', 400, 'oauth_refused'],
    ['/keys', 503, 'oauth_unavailable'],
    ['/keys', 404, 'oauth_refused'],
    ['/userinfo', 500, 'oauth_unavailable'],
  ])('%s that answers %d: %s', async (path, status, code) => {
    claims['email'] = undefined;
    failing = { [path]: status };
    await expect(finish()).rejects.toMatchObject({ code });
  });

  test('why it failed is told to the operator, without what anybody wrote', async () => {
    const run = async (given: typeof failing, answer: object = {}) => {
      failing = given;
      await expect(finish({}, answer)).rejects.toThrow(HubError);
    };
    await run({ '/token': 400 });
    await run({ '/token': 500 });
    await run({}, { error: 'canary', error_description: 'canary' });
    signedWith = strange;
    await run({});
    expect(logged.map(({ fields }) => fields)).toEqual([
      { issuer: 'idp.example', error: 'OAUTH_RESPONSE_BODY_ERROR', status: 400 },
      { issuer: 'idp.example', error: 'upstream_unavailable', status: 500 },
      { issuer: 'idp.example', error: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' },
      { issuer: 'idp.example', error: 'OAUTH_INVALID_RESPONSE' },
    ]);
    expect(JSON.stringify(logged)).not.toMatch(/canary|s3cret|\bn\b|vvvv/);
  });

  test.each([
    ['upstream_timeout', 'oauth_unavailable'],
    ['upstream_unavailable', 'oauth_unavailable'],
    ['egress_denied', 'oauth_refused'],
    ['upstream_too_large', 'oauth_refused'],
  ] as const)('a fetch that fails with %s: %s', async (code, expected) => {
    for (const at of ['/.well-known/openid-configuration', '/token', '/keys']) {
      trouble = { at, error: new HubError(code, 'x') };
      await expect(finish()).rejects.toMatchObject({ code: expected });
    }
  });
});

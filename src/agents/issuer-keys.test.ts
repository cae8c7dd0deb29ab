import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KeysUnavailable } from './check-jwt.js';
import { createIssuerKeys, type IssuerFetch } from './issuer-keys.js';

let key: JWK;
let time = 0;
/** What is answered where; anything else is not there. */
let web: Record<string, unknown> = {};
let asked: string[] = [];
let seen: Parameters<IssuerFetch>[1][] = [];

beforeAll(async () => {
  key = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: 'k', alg: 'ES256' };
});
beforeEach(() => {
  time = 0;
  web = {};
  asked = [];
  seen = [];
});

function open(issuer: string, jwksUri?: string) {
  const find = createIssuerKeys({
    issuer,
    jwksUri,
    clock: { now: () => time, monotonic: () => time },
    fetch: (url, init) => {
      asked.push(url);
      seen.push(init);
      const answer = web[url];
      if (answer instanceof Error) return Promise.reject(answer);
      if (answer instanceof Promise) return answer as Promise<Response>;
      return Promise.resolve(Response.json(answer ?? null, { status: answer === undefined ? 404 : 200 }));
    },
  });
  return (kid = 'k') => find({ alg: 'ES256', kid }, { payload: '', signature: '' });
}

const failure = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => 'found',
    (error: unknown) => error,
  );

describe('where keys are', () => {
  const metadata = (issuer: string) => ({ issuer, jwks_uri: 'https://a.example/keys' });

  test.each([
    [
      'https://a.example',
      [
        'https://a.example/.well-known/oauth-authorization-server',
        'https://a.example/.well-known/openid-configuration',
      ],
    ],
    [
      'https://a.example/',
      [
        'https://a.example/.well-known/oauth-authorization-server',
        'https://a.example/.well-known/openid-configuration',
      ],
    ],
    [
      'https://a.example/t/1',
      [
        'https://a.example/.well-known/oauth-authorization-server/t/1',
        'https://a.example/.well-known/openid-configuration/t/1',
        'https://a.example/t/1/.well-known/openid-configuration',
      ],
    ],
  ])(
    '%s is looked for in all its places, and then taken from the first that knows',
    async (issuer, places) => {
      expect(await failure(open(issuer)())).toBeInstanceOf(KeysUnavailable);
      expect(asked).toEqual(places);
      for (const place of places) {
        asked = [];
        web = { 'https://a.example/keys': { keys: [key] }, [place]: metadata(issuer) };
        expect(await open(issuer)()).toBeDefined();
        expect(asked).toEqual([...places.slice(0, places.indexOf(place) + 1), 'https://a.example/keys']);
      }
    },
  );

  test.each([
    ['of somebody else', { issuer: 'https://a.example/', jwks_uri: 'https://a.example/keys' }],
    ['of nobody', { jwks_uri: 'https://a.example/keys' }],
    ['without an address', { issuer: 'https://a.example' }],
    ['with an address that is none', { issuer: 'https://a.example', jwks_uri: 'keys' }],
    [
      'with something else for an address',
      { issuer: 'https://a.example', jwks_uri: ['https://a.example/keys'] },
    ],
    ['that is text', 'text'],
    ['that is nothing', null],
  ])('metadata %s is passed over', async (_what, wrong) => {
    const [first, second] = ['oauth-authorization-server', 'openid-configuration'];
    web = {
      'https://a.example/keys': { keys: [key] },
      [`https://a.example/.well-known/${first}`]: wrong,
      [`https://a.example/.well-known/${second}`]: metadata('https://a.example'),
    };
    expect(await open('https://a.example')()).toBeDefined();
    expect(asked).toHaveLength(3);
  });

  test('an operator who says so saves the search', async () => {
    web = { 'https://b.example/jwks': { keys: [key] } };
    expect(await open('https://a.example', 'https://b.example/jwks')()).toBeDefined();
    expect(asked).toEqual(['https://b.example/jwks']);
    expect(seen[0]?.headers).toEqual({ accept: 'application/json' });
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);
  });
});

describe('how long keys are good', () => {
  const URI = 'https://a.example/keys';

  test('ten minutes; older ones serve on while there are no newer', async () => {
    web = { [URI]: { keys: [key] } };
    const find = open('https://a.example', URI);
    await find();
    time = 600_000;
    await find();
    expect(asked).toHaveLength(1);
    web = {};
    time = 600_001;
    expect(await find()).toBeDefined();
    expect(asked).toHaveLength(2);
  });

  test('nobody waits for an issuer that did not answer before, while there are keys', async () => {
    web = { [URI]: { keys: [key] } };
    const find = open('https://a.example', URI);
    await find();
    web = { [URI]: new Error('down') };
    time = 600_001;
    await find();
    web = { [URI]: new Promise(() => {}) };
    time += 5_000;
    expect(await find()).toBeDefined();
    expect(asked).toHaveLength(3);
  });

  test('an unknown one is asked for again after half a minute, then it is refused', async () => {
    web = { [URI]: { keys: [key] } };
    const find = open('https://a.example', URI);
    await find();
    time = 30_000;
    expect(await failure(find('new'))).toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect(asked).toHaveLength(1);
    time = 30_001;
    web = { [URI]: { keys: [key, { ...key, kid: 'new' }] } };
    expect(await find('new')).toBeDefined();
    expect(asked).toHaveLength(2);
  });

  test('after a failure nobody asks for five seconds', async () => {
    const find = open('https://a.example', URI);
    web = { [URI]: new Error('down') };
    const error = await failure(find());
    expect(error).toBeInstanceOf(KeysUnavailable);
    expect((error as Error).cause).toBe(web[URI]);
    web = { [URI]: { keys: [key] } };
    time = 4_999;
    expect(await failure(find())).toBeInstanceOf(KeysUnavailable);
    expect(asked).toHaveLength(1);
    time = 5_000;
    expect(await find()).toBeDefined();
  });

  test('keys that have moved are found where they are now', async () => {
    const METADATA = 'https://a.example/.well-known/oauth-authorization-server';
    const moved = 'https://a.example/moved';
    web = { [METADATA]: { issuer: 'https://a.example', jwks_uri: URI }, [URI]: { keys: [key] } };
    const find = open('https://a.example');
    await find();
    web = {
      [METADATA]: { issuer: 'https://a.example', jwks_uri: moved },
      [moved]: { keys: [{ ...key, kid: 'new' }] },
    };
    time = 30_001;
    expect(await failure(find('new'))).toBeInstanceOf(KeysUnavailable);
    time += 5_000;
    expect(await find('new')).toBeDefined();
    expect(asked).toEqual([METADATA, URI, URI, METADATA, moved]);
  });

  test('whoever comes while they are fetched waits for the same', async () => {
    web = { [URI]: { keys: [key] } };
    const find = open('https://a.example', URI);
    await Promise.all([find(), find(), find()]);
    expect(asked).toHaveLength(1);
  });

  test('what is no set of keys is no answer', async () => {
    web = { [URI]: { keys: 'none' } };
    expect(await failure(open('https://a.example', URI)())).toBeInstanceOf(KeysUnavailable);
  });
});

import { describe, expect, test } from 'vitest';
import { digestKey, type Agent, type Identity } from '../agents/index.js';
import { HubError } from '../kernel/index.js';
import { bearerChallenge } from './bearer-challenge.js';
import { createCallerIdentification } from './identify-caller.js';
import { createOwnResources } from './own-resources.js';

const CI = { id: 'ci' } as unknown as Agent;
const HUB = 'https://hub.example';
const METADATA = `resource_metadata="${HUB}/.well-known/oauth-protected-resource/mcp"`;

/** Keys and tokens by what they are; each is also known with a delay, under its name and `later`. */
function open(identities: Readonly<Record<string, Identity>>, tokens: 'on' | 'off' | 'none' = 'on') {
  const shown: string[] = [];
  const digests: (string | undefined)[] = [];
  const caller = createCallerIdentification(
    {
      identify(token, digest) {
        shown.push(token);
        digests.push(digest);
        const identity = identities[token.replace('later', '')];
        return token.endsWith('later') ? Promise.resolve(identity) : identity;
      },
    },
    tokens === 'none'
      ? undefined
      : {
          isOn: () => tokens === 'on',
          scopes: () => ['mcp', 'tools'],
          resources: createOwnResources(() => HUB),
        },
  );
  const identify = (authorization: string | undefined, path = '/mcp') =>
    caller.identify(authorization === undefined ? {} : { authorization }, path);
  return { caller, identify, shown, digests };
}

describe('what is shown', () => {
  test('nothing is nobody', () => {
    expect(open({}).identify(undefined)).toBeUndefined();
  });

  test.each(['Bearer key', 'bearer key', 'BEARER   key'])('%s is a key', async (header) => {
    const { identify, shown } = open({ key: CI });
    expect(identify(header)).toBe(CI);
    expect(shown).toEqual(['key']);
  });

  test('what a connection repeats is judged anew each time', () => {
    const identities: Record<string, Identity> = { key: CI };
    const { caller, shown, digests } = open(identities);
    const headers = { authorization: 'Bearer key' };
    expect(caller.identify(headers, '/mcp')).toBe(CI);
    expect(caller.identify(headers, '/mcp')).toBe(CI);
    delete identities['key'];
    expect(caller.identify(headers, '/mcp')).toMatchObject({ status: 401 });
    expect(shown).toEqual(['key', 'key', 'key']);
    expect(new Set(digests)).toEqual(new Set([digestKey('key')]));
  });

  test('headers that say something else are read anew', () => {
    const { caller, digests } = open({ key: CI });
    const headers = { authorization: 'Bearer key' };
    expect(caller.identify(headers, '/mcp')).toBe(CI);
    headers.authorization = 'Bearer other';
    expect(caller.identify(headers, '/mcp')).toMatchObject({ status: 401 });
    headers.authorization = 'key';
    expect(caller.identify(headers, '/mcp')).toMatchObject({ status: 401 });
    expect(digests).toEqual([digestKey('key'), digestKey('other')]);
  });

  test('a key that must be looked up', async () => {
    expect(await open({ key: CI }).identify('Bearer keylater')).toBe(CI);
  });

  test.each(['key', 'Basic a2V5', 'Bearer', 'Bearer ', 'Bearer a b', 'Bearer é', 'xBearer key', ''])(
    '«%s» is malformed',
    (header) => {
      const { identify, shown } = open({ key: CI });
      expect(identify(header)).toMatchObject({
        status: 401,
        challenge: `Bearer realm="crosspoint", error="invalid_request", scope="mcp tools", ${METADATA}`,
        reason: expect.stringMatching(/malformed/) as string,
      });
      expect(shown).toEqual([]);
    },
  );
});

describe('a refusal', () => {
  test('where the store cannot be read says to come again', async () => {
    const identify = () => Promise.reject(new HubError('storage_unavailable', 'not now'));
    const refused = await createCallerIdentification({ identify }, undefined).identify(
      { authorization: 'Bearer key' },
      '/mcp',
    );
    expect(refused).toMatchObject({ status: 503, retryAfterMs: 5_000 });
  });

  test('of an unknown key or a bad token says the same', () => {
    const bad = { outcome: 'refused', error: 'invalid_token', reason: 'an expired token' } as const;
    const { identify } = open({ bad });
    const [unknown, refused] = [identify('Bearer x'), identify('Bearer bad')];
    const outside = {
      status: 401,
      challenge: `Bearer realm="crosspoint", error="invalid_token", scope="mcp tools", ${METADATA}`,
    };
    expect(unknown).toMatchObject(outside);
    expect(refused).toEqual({ ...(unknown as object), reason: 'an expired token' });
  });

  test('for want of a scope names those that are needed', () => {
    const scopes = ['a', 'b'];
    const poor = { outcome: 'refused', error: 'insufficient_scope', reason: 'r', scopes } as const;
    expect(open({ poor }).identify('Bearer poor')).toMatchObject({
      status: 403,
      challenge: `Bearer realm="crosspoint", error="insufficient_scope", scope="a b", ${METADATA}`,
      reason: 'r',
    });
  });

  test('that may be none later says when', async () => {
    const unsure = { outcome: 'refused', error: 'unavailable', reason: 'r' } as const;
    const refusal = await open({ unsure }).identify('Bearer unsurelater');
    expect(refusal).toMatchObject({ status: 503, retryAfterMs: 5_000, reason: 'r' });
    expect(refusal).not.toHaveProperty('challenge');
  });
});

describe('a good token', () => {
  const token = (audience: string[], expectedAudience?: string[]): Identity => ({
    outcome: 'accepted',
    agent: CI,
    audience,
    expectedAudience,
  });

  test.each<[string, Identity, string, boolean]>([
    ['for this endpoint', token([`${HUB}/mcp`]), '/mcp', true],
    ['for this endpoint, among others', token(['https://x.example', `${HUB}/mcp`]), '/mcp', true],
    ['for the plain JSON of it', token([`${HUB}/mcp`]), '/mcp/tools', true],
    ['for the whole hub', token([HUB]), '/connectors/db/mcp', true],
    ['for another endpoint', token([`${HUB}/connectors/db/mcp`]), '/mcp', false],
    ['for another hub', token(['https://x.example/mcp']), '/mcp', false],
    ['for nobody', token([]), '/mcp', false],
    ['for a name the operator gave us', token(['api://hub'], ['api://hub']), '/mcp', true],
  ])('%s', (_what, identity, path, isGood) => {
    const found = open({ t: identity }).identify('Bearer t', path);
    if (isGood) expect(found).toBe(CI);
    else expect(found).toMatchObject({ status: 401, reason: expect.stringMatching(/another/) as string });
  });

  test('where nobody says what we are called, is for nobody', () => {
    expect(open({ t: token([`${HUB}/mcp`]) }, 'none').identify('Bearer t')).toMatchObject({ status: 401 });
  });
});

describe('a challenge', () => {
  test.each(['off', 'none'] as const)('where tokens are %s asks for a key only', (tokens) => {
    expect(open({}, tokens).caller.challenge({}, '/mcp')).toBe('Bearer realm="crosspoint"');
  });

  test('leads to the metadata of the endpoint that was asked', () => {
    const { caller } = open({});
    expect(caller.challenge({ host: 'hub.example' }, '/connectors/db/mcp')).toBe(
      `Bearer realm="crosspoint", scope="mcp tools", resource_metadata="${HUB}/.well-known/oauth-protected-resource/connectors/db/mcp"`,
    );
  });

  test('says only what there is to say', () => {
    expect(bearerChallenge({})).toBe('Bearer realm="crosspoint"');
    expect(bearerChallenge({ scopes: [], error: 'invalid_token' })).toBe(
      'Bearer realm="crosspoint", error="invalid_token"',
    );
  });
});

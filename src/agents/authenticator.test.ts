import { describe, expect, test } from 'vitest';
import { Secret, toAgentId } from '../kernel/index.js';
import type { Agent, AgentKey } from './agent.js';
import { createAgentKey } from './agent-key.js';
import { createAuthenticator, digestKey } from './authenticator.js';

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
const KEY = 'cpk_0123456789abcdef0123456789';

/** Agents in memory, and a count of how often they were looked up. */
function setUp(changes: { agent?: Partial<Agent>; key?: Partial<AgentKey> } = {}) {
  const time = { now: 1_000_000, monotonic: 0 };
  const { key } = createAgentKey({ agentId: CI.id, now: 0, key: new Secret(KEY) });
  const rows = new Map([
    [key.digest, { agent: { ...CI, ...changes.agent }, key: { ...key, ...changes.key } }],
  ]);
  const lookUps: string[] = [];
  const authenticator = createAuthenticator({
    agents: {
      findByKeyDigest: async (digest) => {
        lookUps.push(digest);
        return Promise.resolve(rows.get(digest));
      },
    },
    clock: { now: () => time.now, monotonic: () => time.monotonic },
  });
  const pass = (ms: number): void => {
    time.now += ms;
    time.monotonic += ms;
  };
  return { authenticator, rows, lookUps, pass };
}

describe('authenticator', () => {
  test('a key leads to its agent, and is looked up by its digest alone', async () => {
    const { authenticator, lookUps } = setUp();
    expect(await authenticator.authenticate(KEY)).toMatchObject({ id: 'ci' });
    expect(lookUps).toEqual([digestKey(KEY)]);
    expect(lookUps.join()).not.toContain(KEY);
  });

  test('a known key is answered at once, for a minute', async () => {
    const { authenticator, lookUps, pass } = setUp();
    await authenticator.authenticate(KEY);
    expect(authenticator.authenticate(KEY)).not.toBeInstanceOf(Promise);
    pass(59_999);
    expect(authenticator.authenticate(KEY)).toMatchObject({ id: 'ci' });
    pass(2);
    await authenticator.authenticate(KEY);
    expect(lookUps).toHaveLength(2);
  });

  test.each<readonly [string, string]>([
    ['an unknown key', `${KEY}x`],
    ['an empty key', ''],
    ['a key of another case', KEY.toUpperCase()],
    ['an endless key', 'x'.repeat(513)],
  ])('%s leads to nobody', async (_what, key) => {
    expect(await setUp().authenticator.authenticate(key)).toBeUndefined();
  });

  test('an agent that is off is nobody', async () => {
    expect(await setUp({ agent: { enabled: false } }).authenticator.authenticate(KEY)).toBeUndefined();
  });

  test('an expired key leads to nobody, also when it was remembered', async () => {
    const { authenticator, pass } = setUp({ key: { expiresAt: 1_010_000 } });
    expect(await authenticator.authenticate(KEY)).toMatchObject({ id: 'ci' });
    pass(9_999);
    expect(await authenticator.authenticate(KEY)).toMatchObject({ id: 'ci' });
    pass(1);
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
  });

  test('what was remembered is forgotten at once', async () => {
    const { authenticator, rows } = setUp();
    await authenticator.authenticate(KEY);
    rows.clear();
    authenticator.forget();
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
  });

  test('a look-up that was under way when something changed is not remembered', async () => {
    const { authenticator, rows } = setUp();
    const underWay = authenticator.authenticate(KEY);
    rows.clear();
    authenticator.forget();
    await underWay;
    expect(await authenticator.authenticate(KEY)).toBeUndefined();
  });

  test('refusals are not remembered, so a new key works at once', async () => {
    const { authenticator, rows } = setUp();
    const other = 'cpk_another-key-0123456789';
    expect(await authenticator.authenticate(other)).toBeUndefined();
    rows.set(digestKey(other), {
      agent: CI,
      key: createAgentKey({ agentId: CI.id, now: 0, key: new Secret(other) }).key,
    });
    expect(await authenticator.authenticate(other)).toMatchObject({ id: 'ci' });
  });
});

describe('the bounds', () => {
  test('of a key are looked at before anything is looked up', async () => {
    const { authenticator, lookUps } = setUp();
    for (const key of ['', 'x'.repeat(513)]) expect(authenticator.authenticate(key)).toBeUndefined();
    expect(lookUps).toEqual([]);
    await authenticator.authenticate('x'.repeat(512));
    expect(lookUps).toHaveLength(1);
  });

  test('of what is remembered: all is forgotten rather than too much kept', async () => {
    const { authenticator, rows, lookUps } = setUp();
    const found = rows.get(digestKey(KEY));
    if (found === undefined) throw new Error('no row');
    const keyOf = (n: number): string => `key-number-${n}`;
    for (let n = 0; n < 10_000; n++) {
      rows.set(digestKey(keyOf(n)), found);
      await authenticator.authenticate(keyOf(n));
    }
    expect(authenticator.authenticate(keyOf(0))).not.toBeInstanceOf(Promise);
    expect(lookUps).toHaveLength(10_000);
    await authenticator.authenticate(KEY);
    expect(authenticator.authenticate(keyOf(0))).toBeInstanceOf(Promise);
    expect(authenticator.authenticate(KEY)).not.toBeInstanceOf(Promise);
  });
});

describe('with access tokens', () => {
  const accepted = { outcome: 'accepted', agent: CI, audience: [], expectedAudience: undefined } as const;

  function open(isOn: boolean, remembered?: typeof accepted) {
    const lookUps: string[] = [];
    const verified: string[] = [];
    let forgotten = 0;
    const authenticator = createAuthenticator({
      agents: {
        findByKeyDigest: (digest) => {
          lookUps.push(digest);
          return Promise.resolve(undefined);
        },
      },
      clock: { now: () => 0, monotonic: () => 0 },
      tokens: {
        isOn,
        remembered: () => remembered,
        verify: (token, digest) => {
          verified.push(`${token.slice(0, 5)} ${digest === digestKey(token)}`);
          return Promise.resolve(accepted);
        },
        configure() {},
        forget: () => void forgotten++,
      },
    });
    return { authenticator, lookUps, verified, forgotten: () => forgotten };
  }

  test('what is no key is a token, where anybody has one', async () => {
    const { authenticator, lookUps, verified } = open(true);
    expect(await authenticator.identify('token')).toBe(accepted);
    expect([lookUps, verified]).toEqual([[digestKey('token')], ['token true']]);
  });

  test('what is too long for a key is not looked up as one', async () => {
    const { authenticator, lookUps, verified } = open(true);
    await authenticator.identify('x'.repeat(513));
    expect([lookUps, verified]).toEqual([[], ['xxxxx true']]);
    await authenticator.identify('y'.repeat(512));
    expect(lookUps).toHaveLength(1);
  });

  test('where nobody has one, only keys count', async () => {
    const { authenticator, lookUps, verified } = open(false, accepted);
    expect(await authenticator.identify('token')).toBeUndefined();
    expect([lookUps.length, verified.length]).toEqual([1, 0]);
  });

  test('a token that is remembered is answered at once', () => {
    const { authenticator, lookUps } = open(true, accepted);
    expect(authenticator.identify('token')).toBe(accepted);
    expect(lookUps).toEqual([]);
  });

  test('tokens are forgotten with the keys', () => {
    const { authenticator, forgotten } = open(true);
    authenticator.forget();
    expect(forgotten()).toBe(1);
  });
});

describe('createAgentKey', () => {
  test('makes keys that nobody guesses and keeps only their digest', () => {
    const { key, secret } = createAgentKey({ agentId: CI.id, now: 5 });
    expect(secret.reveal()).toMatch(/^cpk_[\w-]{43}$/);
    expect(JSON.stringify(key)).not.toContain(secret.reveal());
    expect(key).toMatchObject({
      agentId: 'ci',
      digest: digestKey(secret.reveal()),
      last4: secret.reveal().slice(-4),
      createdAt: 5,
    });
    expect(key.id).toBe(key.digest.slice(0, 12));
    expect(key.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(createAgentKey({ agentId: CI.id, now: 5 }).key.digest).not.toBe(key.digest);
  });
});

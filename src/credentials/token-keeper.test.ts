import { describe, expect, test, vi } from 'vitest';
import { ALICE, ONE, MACHINE, connector, open, shared } from '../../test/support/token-keeper.js';
import { HubError, Secret } from '../kernel/index.js';
import type { Credential, OAuthGrant } from './credential.js';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a token that is good', () => {
  test('costs one look into the store, then none', async () => {
    const { keeper, store } = open();
    store.put();
    const first = await keeper.accessFor(ONE, ALICE);
    expect(first.headers).toEqual(bearer('access-0'));
    expect(keeper.accessFor(ONE, ALICE)).toBe(first);
  });

  test('is gone from the moment its account is removed', async () => {
    const { keeper, store, replaced } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    store.remove();
    keeper.changed(ONE.id, ALICE, 'default');
    expect(access.headers).toEqual({});
    expect(replaced).toEqual(['c']);
    await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
  });

  test.each([
    ['another issuer', { issuer: 'https://other.example' }, {}],
    ['another address', {}, { url: 'https://elsewhere.example/mcp' }],
    ['another client', { clientId: 'someone' }, {}],
  ])('B6.12: is never shown after the connector names %s', async (_what, settings, more) => {
    const { keeper, store, flow } = open();
    store.put();
    const changed = connector({ auth: { type: 'oauth', ...settings }, ...more });
    await expect(keeper.accessFor(changed, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
    expect(await keeper.findAccess(changed, ALICE)).toBeUndefined();
    expect(flow.calls.refresh).toBe(0);
  });
});

describe('renewal', () => {
  test('happens behind a token that is still good, and shows in what is open', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    clock.at += 3_600_000 - 30_000;
    expect(await keeper.accessFor(ONE, ALICE)).toBe(access);
    expect(access.headers).toEqual(bearer('access-0'));
    await expect.poll(() => access.headers['authorization']).toContain('canary-access');
    expect(flow.calls.refresh).toBe(1);
    expect(await keeper.accessFor(ONE, ALICE)).toBe(access);
  });

  test('F32: is due at once when the clock is set past the end of the token', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    await keeper.accessFor(ONE, ALICE);
    clock.wrongBy = 4_000_000;
    await keeper.accessFor(ONE, ALICE);
    expect(flow.calls.refresh).toBe(1);
  });

  test('F32: what others changed is seen in time although the clock was set back', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    await keeper.accessFor(ONE, ALICE);
    clock.wrongBy = -900_000;
    const before = store.finds;
    clock.at += 31_000;
    await keeper.accessFor(ONE, ALICE);
    expect(store.finds).toBe(before + 1);
    expect(flow.calls.refresh).toBe(0);
  });

  test('is waited for when the token has expired, once for everybody', async () => {
    const { keeper, store, clock, flow, events } = open();
    store.put();
    clock.at += 4_000_000;
    const all = await Promise.all(Array.from({ length: 50 }, async () => keeper.accessFor(ONE, ALICE)));
    expect(new Set(all).size).toBe(1);
    expect(all[0]?.headers['authorization']).toContain('canary-access');
    expect(flow.calls.refresh).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['account.renewed']);
  });

  test('C68, B6.10: happens once among several processes', async () => {
    const parts = shared();
    parts.store.put();
    const keepers = [open(parts), open(parts), open(parts)];
    parts.clock.at += 4_000_000;
    parts.flow.onRefresh = settled as () => Promise<void>;
    const calls = keepers.flatMap(({ keeper }) =>
      Array.from({ length: 20 }, async () => (await keeper.accessFor(ONE, ALICE)).headers['authorization']),
    );
    expect(new Set(await Promise.all(calls)).size).toBe(1);
    expect(parts.flow.calls.refresh).toBe(1);
    expect(parts.flow.reused).toBe(0);
  });

  test('O-11: keeps the refresh token where no new one comes', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    flow.rotates = false;
    clock.at += 4_000_000;
    await keeper.accessFor(ONE, ALICE);
    expect(store.row()?.values['refresh_token']?.reveal()).toBe('refresh-0');
    expect(store.row()?.values['access_token']?.reveal()).toContain('canary-access');
  });

  test('O-12 B6.11: a sign-in that is over is noted once, and nobody asks again', async () => {
    const { keeper, store, clock, flow, events } = open();
    store.put();
    flow.onRefresh = () => {
      throw new HubError('credential_required', 'over');
    };
    clock.at += 4_000_000;
    for (let call = 0; call < 10; call++) {
      await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({
        code: 'credential_required',
        message: expect.stringContaining('crosspoint connector connect c --agent alice') as string,
      });
      clock.at += 60_000;
    }
    expect(flow.calls.refresh).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['account.needs_sign_in']);
    expect(store.row()?.grant?.problem?.state).toBe('needs_reauth');
    expect(store.row()?.values['refresh_token']).toBeDefined();
  });

  test('B6.11: and not more than once in five minutes where it cannot even be noted', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    store.broken = true;
    flow.onRefresh = () => {
      throw new HubError('credential_required', 'over');
    };
    clock.at += 4_000_000;
    for (let call = 0; call < 9; call++) {
      await expect(keeper.accessFor(ONE, ALICE)).rejects.toBeInstanceOf(HubError);
      clock.at += 30_000;
    }
    expect(flow.calls.refresh).toBe(1);
  });

  test('a passing failure leaves a good token in use, and is tried again after a while', async () => {
    const { keeper, store, clock, flow, events } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    let fails = true;
    flow.onRefresh = () => {
      if (fails) throw new HubError('oauth_unavailable', 'later');
    };
    clock.at += 3_600_000 - 30_000;
    for (let call = 0; call < 5; call++) {
      expect((await keeper.accessFor(ONE, ALICE)).headers).toEqual(bearer('access-0'));
      await settled();
    }
    expect(flow.calls.refresh).toBe(1);
    expect(store.row()?.grant?.problem).toMatchObject({ state: 'failed' });
    expect(events.map(({ type }) => type)).toEqual(['account.failed']);
    clock.at += 60_000;
    await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({ code: 'oauth_unavailable' });
    fails = false;
    clock.at += 300_000;
    expect((await keeper.accessFor(ONE, ALICE)).headers['authorization']).toContain('canary-access');
    expect(access.headers['authorization']).toContain('canary-access');
    expect(store.row()?.grant?.problem).toBeUndefined();
  });

  test('O-14: what could not be stored is used, and stored later', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    clock.at += 4_000_000;
    store.broken = true;
    const access = await keeper.accessFor(ONE, ALICE);
    const token = access.headers['authorization'];
    expect(token).toContain('canary-access');
    clock.at += 60_000;
    expect((await keeper.accessFor(ONE, ALICE)).headers['authorization']).toBe(token);
    store.broken = false;
    await expect.poll(() => store.row()?.values['access_token']?.reveal()).toBe(token?.slice(7));
    expect(flow.calls.refresh).toBe(1);
    await keeper.close();
  });

  test('what an authorization server is about to answer when the hub ends is stored', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    let go = (): void => {};
    flow.onRefresh = () => new Promise<void>((resolve) => (go = resolve));
    clock.at += 3_600_000 - 30_000;
    // Behind a token that is still good: no call waits for it.
    await keeper.accessFor(ONE, ALICE);
    await expect.poll(() => flow.calls.refresh).toBe(1);
    const closed = keeper.close();
    await settled();
    go();
    await closed;
    store.broken = true;
    await settled();
    expect(store.row()?.values['refresh_token']?.reveal()).toContain('canary-refresh');
  });

  test('an authorization server that does not answer does not keep the hub from ending', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    flow.onRefresh = () => new Promise<void>(() => {});
    clock.at += 4_000_000;
    void keeper.accessFor(ONE, ALICE);
    await expect.poll(() => flow.calls.refresh).toBe(1);
    vi.useFakeTimers();
    try {
      const closed = keeper.close();
      await vi.advanceTimersByTimeAsync(5_000);
      await closed;
    } finally {
      vi.useRealTimers();
    }
  });

  test('the loser of a race takes what the winner stored', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    clock.at += 4_000_000;
    flow.onRefresh = () => {
      const row = store.row() as Credential;
      void store.save({
        ...row,
        values: { access_token: new Secret('winner'), refresh_token: new Secret('winner-refresh') },
        grant: { ...(row.grant as OAuthGrant), expiresAt: clock.at + 3_600_000 },
        version: row.version + 1,
      });
    };
    expect((await keeper.accessFor(ONE, ALICE)).headers).toEqual(bearer('winner'));
    expect(store.row()?.values['refresh_token']?.reveal()).toBe('winner-refresh');
  });

  test('an account that is removed meanwhile does not come back', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    clock.at += 4_000_000;
    flow.onRefresh = () => void store.remove();
    await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
    expect(store.row()).toBeUndefined();
    expect(flow.calls.revoke).toBe(1);
  });

  test('B6.12: nobody joins one that began when the connector led to another address', async () => {
    const { keeper, store, clock, flow } = open();
    store.put();
    clock.at += 4_000_000;
    let go = (): void => {};
    flow.onRefresh = () => new Promise<void>((resolve) => (go = resolve));
    const before = keeper.accessFor(ONE, ALICE);
    await expect.poll(() => flow.calls.refresh).toBe(1);
    const moved = connector({ url: 'https://elsewhere.example/mcp' });
    const after = Promise.resolve(keeper.accessFor(moved, ALICE)).then(
      ({ headers }) => headers,
      (error: unknown) => error,
    );
    await settled();
    go();
    expect((await before).headers['authorization']).toContain('canary-access');
    expect(await after).toMatchObject({ code: 'credential_required' });
  });

  test('B6.12: nor does the hub itself, where it signs in for itself', async () => {
    const { keeper, flow } = open();
    const seen: string[] = [];
    let go = (): void => {};
    const authorize = flow.authorizeMachine;
    flow.authorizeMachine = async (asked, options) => {
      seen.push('url' in asked.endpoint ? asked.endpoint.url : '');
      if (seen.length === 1) await new Promise<void>((resolve) => (go = resolve));
      return authorize(asked, options);
    };
    const owner = { kind: 'shared' } as const;
    const before = keeper.accessFor(MACHINE, owner);
    await expect.poll(() => seen).toHaveLength(1);
    const { endpoint } = connector({ url: 'https://elsewhere.example/mcp' });
    const moved = { ...MACHINE, endpoint };
    const after = keeper.accessFor(moved, owner);
    await settled();
    go();
    await Promise.all([before, after]);
    expect(seen).toEqual(['https://mcp.example/mcp', 'https://elsewhere.example/mcp']);
  });
});

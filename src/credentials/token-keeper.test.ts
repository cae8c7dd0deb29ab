import { describe, expect, test } from 'vitest';
import { createScriptedAccountFlow } from '../../test/support/scripted-account-flow.js';
import { parseConnector, type Connector } from '../connectors/index.js';
import { HubError, Secret, toAgentId, type Clock, type Locks } from '../kernel/index.js';
import type { AccountEvent } from './account-event.js';
import type { Credential, CredentialOwner, CredentialStore, OAuthGrant } from './credential.js';
import { TokenKeeper } from './token-keeper.js';

const URL_OF = 'https://mcp.example/mcp';
const ALICE: CredentialOwner = { kind: 'agent', agent: toAgentId('alice') };
const connector = (input: object = {}): Connector =>
  parseConnector(
    'c',
    { url: URL_OF, auth: { type: 'oauth' }, credentialMode: 'per_agent', ...input },
    { source: 'file', now: 0 },
  );
const ONE = connector();
const MACHINE = connector({
  auth: { type: 'client_credentials', clientId: 'client', clientSecret: 's' },
  credentialMode: 'shared',
});

/** A clock that a test moves. */
class TestClock implements Clock {
  at = 1_000_000;
  now = (): number => this.at;
  monotonic = (): number => this.at;
}

/** What several processes share: the store, the locks, the authorization server. */
function shared() {
  const clock = new TestClock();
  const rows = new Map<string, Credential>();
  const flow = createScriptedAccountFlow(clock);
  const store = {
    broken: false,
    saves: 0,
    put(more: { grant?: Partial<OAuthGrant>; refresh?: string | null; owner?: CredentialOwner } = {}) {
      const owner = more.owner ?? ALICE;
      const { refresh = 'refresh-0' } = more;
      rows.set(JSON.stringify(owner), {
        connector: connector().id,
        owner,
        account: 'default',
        isDefault: true,
        values: {
          access_token: new Secret('access-0'),
          ...(refresh !== null && { refresh_token: new Secret(refresh) }),
        },
        grant: {
          issuer: 'https://auth.example',
          resource: URL_OF,
          clientId: 'client',
          scopes: ['read'],
          obtainedAt: clock.at,
          expiresAt: clock.at + 3_600_000,
          problem: undefined,
          ...more.grant,
        },
        version: 1,
        updatedAt: clock.at,
      });
    },
    row: (owner: CredentialOwner = ALICE) => rows.get(JSON.stringify(owner)),
    remove: (owner: CredentialOwner = ALICE) => rows.delete(JSON.stringify(owner)),
    find: async (_connector: unknown, owner: CredentialOwner) => rows.get(JSON.stringify(owner)),
    async save(credential: Credential, expected?: number) {
      const key = JSON.stringify(credential.owner);
      if (store.broken) throw new HubError('storage_unavailable', 'the store is gone');
      if (expected !== undefined && (rows.get(key)?.version ?? 0) !== expected)
        throw new HubError('precondition_failed', 'changed');
      store.saves++;
      rows.set(key, credential);
    },
  };
  return { clock, flow, store, locks: createLocks() };
}

function createLocks(): Locks {
  const waiting = new Map<string, Promise<void>>();
  return {
    async acquire(name) {
      const before = waiting.get(name);
      let release = (): void => {};
      const mine = new Promise<void>((resolve) => (release = resolve));
      waiting.set(name, mine);
      await before;
      return { lost: new AbortController().signal, release: async () => release() };
    },
  };
}

function open(parts: ReturnType<typeof shared> = shared()) {
  const events: AccountEvent[] = [];
  const replaced: string[] = [];
  const keeper = new TokenKeeper({
    credentials: parts.store as Pick<CredentialStore, 'find' | 'save'>,
    flow: parts.flow,
    locks: parts.locks,
    clock: parts.clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    onReplaced: (id) => replaced.push(id),
  });
  return { ...parts, keeper, events, replaced };
}

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

  test('is waited for when the token has expired, once for everybody', async () => {
    const { keeper, store, clock, flow, events } = open();
    store.put();
    clock.at += 4_000_000;
    const all = await Promise.all(Array.from({ length: 50 }, () => keeper.accessFor(ONE, ALICE)));
    expect(new Set(all).size).toBe(1);
    expect(all[0]?.headers['authorization']).toContain('canary-access');
    expect(flow.calls.refresh).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['account.renewed']);
  });

  test('B6.10: happens once among several processes', async () => {
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
});

describe('a token that an upstream refuses', () => {
  test('is renewed once; a second refusal wants a person', async () => {
    const { keeper, store, flow } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    const shown = access.headers;
    expect(await keeper.renew(ONE, access, shown, undefined)).toBe(true);
    expect(await keeper.renew(ONE, access, shown, undefined)).toBe(true);
    expect(flow.calls.refresh).toBe(1);
    await keeper.distrust(ONE, access);
    expect(store.row()?.grant?.problem?.state).toBe('needs_reauth');
    await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
  });

  test('without a refresh token wants a person at once', async () => {
    const { keeper, store, flow } = open();
    store.put({ refresh: null });
    const access = await keeper.accessFor(ONE, ALICE);
    await expect(keeper.renew(ONE, access, access.headers, undefined)).rejects.toMatchObject({
      code: 'credential_required',
    });
    expect(store.row()?.grant?.problem?.state).toBe('needs_reauth');
    expect(flow.calls.refresh).toBe(0);
  });
});

describe('more rights', () => {
  const challenge = (scopes: string) => `Bearer error="insufficient_scope", scope="${scopes}"`;

  test('O-13: are asked for twice an hour at most', async () => {
    const { keeper, store, clock } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    const stepOf = async (scopes: string) =>
      ((await keeper.widen(ONE, access, challenge(scopes))) as HubError | undefined)?.details;
    expect(await stepOf('write')).toMatchObject({ reason: 'sign_in_required', step: 'step-up-1' });
    expect(await stepOf('write')).toMatchObject({ step: 'step-up-1' });
    expect(await stepOf('admin')).toMatchObject({ step: 'step-up-2' });
    expect(store.row()?.grant?.stepUp?.scopes).toEqual(['write', 'admin']);
    expect(await stepOf('root')).toMatchObject({ reason: 'step_up_limit' });
    clock.at += 3_600_001;
    store.row();
    expect(await stepOf('root')).toMatchObject({ reason: 'sign_in_required' });
    expect(await stepOf('read')).toBeUndefined();
  });

  test('are nothing that another refusal is about', async () => {
    const { keeper, store } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    expect(await keeper.widen(ONE, access, 'Bearer error="invalid_token"')).toBeUndefined();
  });
});

describe('a hub that signs in as itself', () => {
  const SHARED: CredentialOwner = { kind: 'shared' };

  test('gets a token when it is needed, keeps it, and gets another when it is refused', async () => {
    const { keeper, store, flow } = open();
    const access = await keeper.accessFor(MACHINE, SHARED);
    expect(access.headers['authorization']).toContain('canary-access');
    await keeper.accessFor(MACHINE, SHARED);
    expect(flow.calls.machine).toBe(1);
    expect(store.row(SHARED)).toMatchObject({ version: 1, account: 'default' });
    const shown = access.headers;
    expect(await keeper.renew(MACHINE, access, shown, undefined)).toBe(true);
    expect(access.headers).not.toBe(shown);
    expect(flow.calls.machine).toBe(2);
  });

  test('does not ask for a token at every call that is refused', async () => {
    const { keeper, flow } = open();
    const access = await keeper.accessFor(MACHINE, SHARED);
    await keeper.renew(MACHINE, access, access.headers, undefined);
    await keeper.distrust(MACHINE, access);
    await keeper.accessFor(MACHINE, SHARED);
    await expect(keeper.renew(MACHINE, access, access.headers, undefined)).rejects.toMatchObject({
      code: 'oauth_unavailable',
    });
    expect(flow.calls.machine).toBe(2);
  });
});

import type { AccountEvent, Credential, CredentialOwner, OAuthGrant } from '../../src/credentials/index.js';
import { TokenKeeper } from '../../src/credentials/index.js';
import { parseConnector, type Connector } from '../../src/connectors/index.js';
import { HubError, Secret, toAgentId, type Clock, type Locks } from '../../src/kernel/index.js';
import { createScriptedAccountFlow } from './scripted-account-flow.js';

/** A keeper of tokens over a store, locks and an authorization server that a test plays. */

const URL_OF = 'https://mcp.example/mcp';
export const ALICE: CredentialOwner = { kind: 'agent', agent: toAgentId('alice') };
export const connector = (input: object = {}): Connector =>
  parseConnector(
    'c',
    { url: URL_OF, auth: { type: 'oauth' }, credentialMode: 'per_agent', ...input },
    { source: 'file', now: 0 },
  );
export const ONE = connector();
export const MACHINE = connector({
  auth: { type: 'client_credentials', clientId: 'client', clientSecret: 's' },
  credentialMode: 'shared',
});

/** A clock that a test moves. */
class TestClock implements Clock {
  at = 1_000_000;
  /** How wrong the date is. */
  wrongBy = 0;
  now = (): number => this.at + this.wrongBy;
  monotonic = (): number => this.at;
}

/** What several processes share: the store, the locks, the authorization server. */
export function shared() {
  const clock = new TestClock();
  const rows = new Map<string, Credential>();
  const flow = createScriptedAccountFlow(clock);
  const store = {
    broken: false,
    saves: 0,
    finds: 0,
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
    async find(_connector: unknown, owner: CredentialOwner) {
      store.finds++;
      return rows.get(JSON.stringify(owner));
    },
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

export function open(parts: ReturnType<typeof shared> = shared()) {
  const events: AccountEvent[] = [];
  const replaced: string[] = [];
  const keeper = new TokenKeeper({
    credentials: parts.store,
    flow: parts.flow,
    locks: parts.locks,
    clock: parts.clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    onReplaced: (id) => replaced.push(id),
  });
  return { ...parts, keeper, events, replaced };
}

import { randomToken, Secret, type Secret as SecretValue } from '../kernel/index.js';
import type { AdminAccount, AdminStore } from './admin-account.js';
import { digestKey } from './authenticator.js';

/** The id of whoever holds the hub's own token. */
export const HUB_ADMIN = 'admin';

/** An admin with where it comes from. */
export interface KnownAdmin extends AdminAccount {
  readonly source: 'built_in' | 'file' | 'stored';
}

/** The holder of the hub's own token, accounts of the configuration, and stored ones; earlier ones hide later ones. */
export interface AdminDirectory {
  list(): Promise<readonly KnownAdmin[]>;
  find(id: string): Promise<KnownAdmin | undefined>;
  /** Needs no store for the hub's own token. */
  findByTokenDigest(digest: string): Promise<KnownAdmin | undefined>;
  /** Replaces the accounts of the configuration. */
  configure(accounts: readonly AdminAccount[]): void;
}

export function createAdminDirectory({
  store,
  hubToken,
  now,
}: {
  readonly store: Pick<AdminStore, 'list' | 'find' | 'findByTokenDigest'>;
  readonly hubToken: SecretValue;
  readonly now: number;
}): AdminDirectory {
  const own: KnownAdmin = {
    ...createAdminAccount({
      id: HUB_ADMIN,
      name: 'Holder of the admin token',
      role: 'owner',
      now,
      token: hubToken,
    }).account,
    source: 'built_in',
  };
  let configured = new Map<string, KnownAdmin>([[own.id, own]]);

  const stored = (account: AdminAccount | undefined): KnownAdmin | undefined =>
    account === undefined || configured.has(account.id) ? undefined : { ...account, source: 'stored' };

  return {
    async list() {
      const others = (await store.list()).map(stored).filter((account) => account !== undefined);
      return [...configured.values(), ...others].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    async find(id) {
      return configured.get(id) ?? stored(await store.find(id));
    },
    async findByTokenDigest(digest) {
      const given = [...configured.values()].find(({ tokenDigest }) => tokenDigest === digest);
      return given ?? stored(await store.findByTokenDigest(digest));
    },
    configure(accounts) {
      const all = accounts.map((account): KnownAdmin => ({ ...account, source: 'file' }));
      configured = new Map([own, ...all.filter(({ id }) => id !== own.id)].map((admin) => [admin.id, admin]));
    },
  };
}

/** A new account with a new token, or the record of a given one. The token itself is only in `token`. */
export function createAdminAccount({
  token = new Secret(`cpa_${randomToken()}`),
  now,
  ...rest
}: Pick<AdminAccount, 'id' | 'name' | 'role'> & {
  readonly now: number;
  readonly token?: SecretValue;
}): { readonly account: AdminAccount; readonly token: SecretValue } {
  const account = { ...rest, tokenDigest: digestKey(token.reveal()), last4: token.last4, createdAt: now };
  return { account, token };
}

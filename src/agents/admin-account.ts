import type { AdminRole } from '../contract/index.js';

/** Somebody who may use the admin API, besides the holder of the hub's own admin token. */
export interface AdminAccount {
  readonly id: string;
  readonly name: string;
  readonly role: AdminRole;
  /** SHA-256 of the token, hex; undefined for accounts that only sign in elsewhere. */
  readonly tokenDigest: string | undefined;
  readonly last4: string;
  readonly createdAt: number;
}

export interface AdminStore {
  list(): Promise<readonly AdminAccount[]>;
  find(id: string): Promise<AdminAccount | undefined>;
  findByTokenDigest(digest: string): Promise<AdminAccount | undefined>;
  /** Throws `conflict` if the id is taken. */
  add(account: AdminAccount): Promise<void>;
  remove(id: string): Promise<boolean>;
}

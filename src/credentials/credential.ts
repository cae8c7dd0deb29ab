import type { AgentId, ConnectorId, Secret } from '../kernel/index.js';

/** Whose account at the upstream it is. */
export type CredentialOwner =
  | { readonly kind: 'shared' }
  | { readonly kind: 'agent'; readonly agent: AgentId };

/** What lets us into one upstream: named secret values, such as a token or header values. */
export interface Credential {
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly values: Readonly<Record<string, Secret>>;
  readonly version: number;
  readonly updatedAt: number;
}

/** What may be shown of a credential. */
export interface CredentialSummary {
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly values: Readonly<Record<string, { readonly set: true; readonly last4: string }>>;
  readonly version: number;
  readonly updatedAt: number;
}

export interface CredentialStore {
  find(connector: ConnectorId, owner: CredentialOwner): Promise<Credential | undefined>;
  list(connector?: ConnectorId): Promise<readonly CredentialSummary[]>;
  /** With `expectedVersion` throws `precondition_failed` unless that is the stored version; 0 means that there is none. */
  save(credential: Credential, expectedVersion?: number): Promise<void>;
  remove(connector: ConnectorId, owner: CredentialOwner): Promise<boolean>;
  removeAllOf(agent: AgentId): Promise<void>;
  removeAllFor(connector: ConnectorId): Promise<void>;
}

/** What a credential becomes for one use. `id` tells two identities apart without revealing either; it keys pools and caches. */
export interface Access {
  readonly id: string;
  readonly owner: 'anonymous' | 'shared' | AgentId;
  readonly headers: Readonly<Record<string, string>>;
}

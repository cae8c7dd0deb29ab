import type { AgentId, ConnectorId, Secret } from '../kernel/index.js';

/** Whose account at the upstream it is. */
export type CredentialOwner =
  | { readonly kind: 'shared' }
  | { readonly kind: 'agent'; readonly agent: AgentId };

/** What an owner's only account is called, and the first one. */
export const DEFAULT_ACCOUNT = 'default';

/** What lets us into one upstream: named secret values, such as a token or header values. */
export interface Credential {
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  /** An owner may have several accounts at one upstream, told apart by name. */
  readonly account: string;
  /** Whether it is the one used unless another is asked for. Stores keep exactly one such account per owner. */
  readonly isDefault: boolean;
  readonly values: Readonly<Record<string, Secret>>;
  /** Where the values came from an account connection. Nothing in it is secret. */
  readonly grant: OAuthGrant | undefined;
  readonly version: number;
  readonly updatedAt: number;
}

/** What an authorization server granted. It counts for this issuer and this resource only. */
export interface OAuthGrant {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** What the client was registered with, where it was registered for this connector. */
  readonly redirectUri?: string;
  readonly scopes: readonly string[];
  readonly obtainedAt: number;
  /** Undefined: the server did not say. */
  readonly expiresAt: number | undefined;
  /** Why it cannot be used any more, or could not be renewed the last time. */
  readonly problem: OAuthProblem | undefined;
  /** Asked for since the last sign-in because the upstream wanted more, and when that was, so that it ends somewhere. */
  readonly stepUp?: { readonly scopes: readonly string[]; readonly times: readonly number[] };
}

export interface OAuthProblem {
  /** `needs_reauth`: a person has to sign in again. `failed`: it may work later. */
  readonly state: 'needs_reauth' | 'failed';
  /** Fixed words of ours, never of the server. */
  readonly reason: string;
  readonly since: number;
}

/** What may be shown of a credential. */
export interface CredentialSummary extends Omit<Credential, 'values'> {
  readonly values: Readonly<Record<string, { readonly set: true; readonly last4: string }>>;
}

export interface CredentialStore {
  /** The default account unless one is named. */
  find(connector: ConnectorId, owner: CredentialOwner, account?: string): Promise<Credential | undefined>;
  list(connector?: ConnectorId): Promise<readonly CredentialSummary[]>;
  /**
   * With `expectedVersion` throws `precondition_failed` unless that is the stored version; 0 means that there is none.
   * An owner's first account becomes the default whatever it says; one saved as the default takes the place of the other,
   * unless it replaces a version that was named: a renewal must not undo a choice made since it read the account.
   */
  save(credential: Credential, expectedVersion?: number): Promise<void>;
  /** Makes an account the default; versions stay as they are. False if there is no such account. */
  choose(connector: ConnectorId, owner: CredentialOwner, account: string): Promise<boolean>;
  /** All accounts of the owner unless one is named. When the default goes, the account changed last takes its place. */
  remove(connector: ConnectorId, owner: CredentialOwner, account?: string): Promise<boolean>;
  removeAllOf(agent: AgentId): Promise<void>;
  removeAllFor(connector: ConnectorId): Promise<void>;
}

/** How an authorization server knows us: made by dynamic registration, for one connector. */
export interface OAuthClient {
  readonly connector: ConnectorId;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  /** How we prove at the token endpoint who we are. */
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly registeredAt: number;
  /** When the secret ends; undefined: never. */
  readonly expiresAt: number | undefined;
}

export interface OAuthClientStore {
  find(connector: ConnectorId, issuer: string, redirectUri: string): Promise<OAuthClient | undefined>;
  /** Replaces the one of the same connector, issuer and redirect address. */
  save(client: OAuthClient): Promise<void>;
  remove(connector: ConnectorId, issuer: string, redirectUri: string): Promise<void>;
  removeAllFor(connector: ConnectorId): Promise<void>;
}

/** What a credential becomes for one use. `id` tells two identities apart without revealing either; it keys pools and caches. */
export interface Access {
  readonly id: string;
  readonly owner: 'anonymous' | 'shared' | AgentId;
  /** Asked before each request: a token that was renewed meanwhile shows in it. */
  readonly headers: Readonly<Record<string, string>>;
}

import type { ConnectorId, Secret } from '../kernel/index.js';

/** Our description of one upstream. */
export interface Connector {
  readonly id: ConnectorId;
  /** For people. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly auth: ConnectorAuth;
  readonly credentialMode: CredentialMode;
  readonly era: 'auto' | 'legacy' | 'modern';
  readonly timeouts: ConnectorTimeouts;
  readonly limits: ConnectorLimits;
  readonly isolation: Isolation;
  /** Repeats of a failed list or read. A call is never repeated. */
  readonly retries: number;
  readonly enabled: boolean;
  /** Whether the tools stay listed while the upstream is unhealthy. */
  readonly hideWhenUnhealthy: boolean;
  /** Whether a tool that is not what it was is offered, or held back until an admin accepts it. */
  readonly changedTools: 'offer' | 'hold';
  readonly prompts: readonly OperatorPrompt[];
  readonly tags: readonly string[];
  /** Tags of single tools, by upstream name. */
  readonly toolTags: Readonly<Record<string, readonly string[]>>;
  /** Who may be dialled: the operator's own configuration vouches for private addresses, others need leave. */
  readonly allowPrivateNetwork: boolean;
  readonly source: ConnectorSource;
  /** Grows with every change; the entity tag of the admin API. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type ConnectorSource = 'file' | 'environment' | 'stored' | 'built_in';
export type CredentialMode = 'none' | 'shared' | 'per_agent';
export type Isolation = 'shared' | 'per_principal' | 'per_session' | 'per_call';

export type Endpoint =
  | { readonly transport: 'streamable_http' | 'sse'; readonly url: string }
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, Secret>>;
      readonly cwd: string | undefined;
      /** What files must be for a process to be started: SHA-256 in hex, in small letters. */
      readonly pins: Readonly<Record<string, string>>;
      readonly idleStopMs: number;
      /** After this time a process makes room for a new one, as soon as no call runs in it. Zero: never. */
      readonly maxLifetimeMs: number;
    };

/** What kind of credential the upstream wants. Values given in operator files stand here; others are in the vault. */
export type ConnectorAuth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: Secret | undefined }
  | { readonly type: 'api_key'; readonly header: string; readonly value: Secret | undefined }
  /** `headers` are the names; values may be given here or be in the vault. */
  | {
      readonly type: 'header';
      readonly headers: readonly string[];
      readonly values: Readonly<Record<string, Secret>>;
    }
  | { readonly type: 'oauth' | 'client_credentials'; readonly settings: OAuthSettings };

/**
 * What an operator says about the authorization server and about us as its client. Only what was given is there; the
 * rest is discovered. A client that was registered beforehand belongs to `issuer`.
 */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: Secret;
  readonly clientAuth?: OAuthClientAuth;
  /** PEM (PKCS #8) or JWK. */
  readonly privateKey?: Secret;
  readonly keyId?: string;
  readonly algorithm?: string;
  readonly issuer?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly resource?: string;
  readonly scopes?: readonly string[];
  readonly authorizationParameters?: Readonly<Record<string, string>>;
}

/** How we prove at the token endpoint that we are the client. */
export type OAuthClientAuth = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

export interface ConnectorTimeouts {
  readonly connectMs: number;
  readonly requestMs: number;
  readonly totalMs: number;
}

export interface ConnectorLimits {
  readonly responseBytes: number;
  readonly resultBytes: number;
  readonly sseReconnects: number;
  readonly concurrency: number;
  readonly queue: number;
  /** Failures in a row to reach it or to hear from it after which calls are kept away for a while. Zero: never. */
  readonly breakerFailures: number;
  /** What a process and its descendants may use together; zero: any amount. Resident memory. */
  readonly memoryBytes: number;
  /** Processor time from the start of the process on. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

/** A prompt written by the operator for an upstream that has none. */
export interface OperatorPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  readonly text: string;
  /** Upstream names of the tools it belongs to. */
  readonly tools: readonly string[];
}

export const DEFAULT_TIMEOUTS: ConnectorTimeouts = { connectMs: 5_000, requestMs: 30_000, totalMs: 120_000 };
export const DEFAULT_LIMITS: ConnectorLimits = {
  responseBytes: 8 * 1024 * 1024,
  resultBytes: 200_000,
  sseReconnects: 5,
  concurrency: 50,
  queue: 100,
  breakerFailures: 5,
  memoryBytes: 0,
  cpuSeconds: 0,
  processes: 0,
};
export const DEFAULT_IDLE_STOP_MS = 600_000;
export const DEFAULT_MAX_LIFETIME_MS = 0;

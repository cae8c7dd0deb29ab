import type { Connector } from '../connectors/index.js';
import type { Secret } from '../kernel/index.js';
import type { Credential, OAuthGrant } from './credential.js';

/**
 * The exchange with authorization servers that yields tokens for one connector: discovery, registration, authorization
 * code, renewal, revocation. It keeps nothing but registered clients; whoever uses it keeps the rest.
 * Failures are `HubError`s: `oauth_refused` says that a server or its metadata is not acceptable, `credential_required`
 * that a person has to sign in again, `oauth_unavailable` that it may work later. Nothing a server wrote is in a message.
 */
export interface AccountFlow {
  /** Discovers, registers where needed, and makes the address to send a person to. */
  begin(request: {
    readonly connector: Connector;
    readonly redirectUri: string;
    /** The `WWW-Authenticate` the upstream answered with, where it did. */
    readonly challenge?: string;
    /** What was granted before. At the same server, for the same resource, nothing of it gets lost when more is asked for. */
    readonly before?: OAuthGrant | undefined;
    readonly signal?: AbortSignal;
  }): Promise<BegunConnection>;
  /** With what the authorization server sent to the redirect address. Everything is checked before the code is used. */
  finish(
    connector: Connector,
    begun: BegunConnection,
    response: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<GrantedTokens>;
  /** Exactly one token request. Keeps the old refresh token where no new one came. */
  refresh(connector: Connector, credential: Credential, signal?: AbortSignal): Promise<GrantedTokens>;
  /** For connectors that sign in as themselves. */
  authorizeMachine(
    connector: Connector,
    request: { readonly challenge?: string; readonly signal?: AbortSignal },
  ): Promise<GrantedTokens>;
  /** Best effort, within the limits of every fetch. False where the server offers no revocation. */
  revoke(connector: Connector, credential: Credential, signal?: AbortSignal): Promise<boolean>;
}

/** An account connection under way. Plain JSON: it is kept sealed until the answer comes. */
export interface BegunConnection {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** 256 random bits. */
  readonly state: string;
  readonly codeVerifier: string;
  /** Where to send the person: http or https, to the authorization server. */
  readonly authorizationUrl: string;
  /** As it was when the person was sent there: a document that changes meanwhile does not lead the code elsewhere. */
  readonly tokenEndpoint: string;
  /** Whether the answer has to name the issuer (RFC 9207). */
  readonly issuerInAnswer: boolean;
  /** What the server understands at its token endpoint; undefined: it does not say. */
  readonly tokenAuthMethods?: readonly string[];
}

export interface GrantedTokens {
  /** `access_token` and, where given, `refresh_token`. */
  readonly values: Readonly<Record<string, Secret>>;
  readonly grant: OAuthGrant;
}

import type { Agent } from './agent.js';

/** What was found out about an access token. */
export type TokenVerdict = AcceptedToken | RefusedToken;

export interface AcceptedToken {
  readonly outcome: 'accepted';
  /** With the scopes of the token. */
  readonly agent: Agent;
  /** Whom the token is meant for. Whether that is the endpoint it is shown at is for the endpoint to say. */
  readonly audience: readonly string[];
  /** The issuer's own names for us, where the operator set them; otherwise our addresses count. */
  readonly expectedAudience: readonly string[] | undefined;
}

export interface RefusedToken {
  readonly outcome: 'refused';
  readonly error: 'invalid_token' | 'insufficient_scope' | 'unavailable';
  /** For the record, never for the sender: it would tell a forger which part to mend. */
  readonly reason: string;
  /** With `insufficient_scope`: all that are needed. */
  readonly scopes?: readonly string[];
}

export function refuseToken(reason: string): RefusedToken {
  return { outcome: 'refused', error: 'invalid_token', reason };
}

/** It could not be found out, which says nothing about the token. */
export function cannotTell(reason: string): RefusedToken {
  return { outcome: 'refused', error: 'unavailable', reason };
}

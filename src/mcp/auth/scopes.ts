import type { BearerChallenge } from './challenge.js';

const OFFLINE = 'offline_access';

export interface ScopeSources {
  /** The operator's own choice. */
  readonly configured: readonly string[] | undefined;
  readonly challenge: BearerChallenge | undefined;
  /** `scopes_supported` of the resource, then of the authorization server. */
  readonly ofResource: readonly string[] | undefined;
  readonly ofServer: readonly string[] | undefined;
  /** What was granted before. */
  readonly previous: readonly string[];
}

/**
 * The challenge counts before what the resource supports; where neither says anything nothing is asked for, and the
 * server decides. More is asked for by way of a union, so that nothing gets lost. Refresh tokens are asked for only where
 * the authorization server lists the scope for them.
 */
export function chooseScopes({
  configured,
  challenge,
  ofResource,
  ofServer,
  previous,
}: ScopeSources): readonly string[] {
  const wanted = configured ?? challenge?.scopes ?? ofResource ?? [];
  const more = challenge?.error === 'insufficient_scope' ? (challenge.scopes ?? []) : [];
  const all = new Set([...previous, ...wanted, ...more]);
  if (configured?.includes(OFFLINE) !== true && ofServer?.includes(OFFLINE) !== true) all.delete(OFFLINE);
  else if (all.size > 0) all.add(OFFLINE);
  return [...all];
}

import type { Connector } from '../../connectors/index.js';
import { HubError, isHubError } from '../../kernel/index.js';
import { AuthFailure } from '../../mcp/auth/index.js';

/** What a fetch must not do is a refusal; everything else about it may pass. */
const FORBIDDEN = new Set(['egress_denied', 'upstream_too_large', 'upstream_protocol']);

/** A failed step as the hub's own failure. Nothing a server wrote gets into it. */
export function toFlowFailure(error: unknown, { id }: Connector, signal: AbortSignal | undefined): HubError {
  const cause = error instanceof AuthFailure ? error.cause : error;
  if (signal?.aborted === true) return new HubError('cancelled', `connector ${id}: the sign-in was given up`);
  if (error instanceof AuthFailure) {
    const why = cause instanceof HubError ? `${error.message}: ${cause.message}` : error.message;
    const isForbidden = cause instanceof HubError && FORBIDDEN.has(cause.code);
    const code = error.kind === 'unavailable' && !isForbidden ? 'oauth_unavailable' : 'oauth_refused';
    return new HubError(code, `connector ${id}: ${why}`, {
      details: {
        connector: id,
        ...(error.serverError !== undefined && { reason: error.serverError }),
      },
    });
  }
  if (isHubError(error)) return error;
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return new HubError('oauth_unavailable', `connector ${id}: the sign-in took too long`);
  return new HubError('internal', `connector ${id}: the sign-in failed`, { cause: error });
}

/** A person has to sign in again. */
export function signInAgain({ id }: Connector, why: string): HubError {
  return new HubError('credential_required', `connector ${id} needs a new sign-in: ${why}`, {
    details: { connector: id },
  });
}

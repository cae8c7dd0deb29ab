import { HubError } from '../kernel/index.js';

/**
 * The upstream is left in peace for a while, so nothing was sent. Unlike other failures to reach it, this one is not
 * worth an attempt of our own: when the next makes sense is known.
 */
export class UpstreamPaused extends HubError {
  constructor(
    reason: 'breaker_open' | 'restarting' | 'process_failed',
    message: string,
    retryAfterMs: number,
  ) {
    super('upstream_unavailable', message, { details: { reason }, retryAfterMs });
  }
}

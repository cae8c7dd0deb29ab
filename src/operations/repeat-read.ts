import { setTimeout as sleep } from 'node:timers/promises';
import { HubError, type HubErrorCode } from '../kernel/index.js';
import { UpstreamPaused } from '../upstreams/index.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Failures that may pass by themselves. A time-out is none: whoever waits has waited long enough. */
const PASSING: ReadonlySet<HubErrorCode> = new Set(['upstream_unavailable', 'upstream_closed']);

/**
 * Tries again what does no harm when it is done twice: lists, reads, completions; never a call. Pauses double, with
 * jitter, and are at least as long as the upstream asked for. Where it asks for more than we wait, its answer stands.
 */
export async function repeatRead<Result>(
  retries: number,
  signal: AbortSignal | undefined,
  read: () => Promise<Result>,
  random: () => number = Math.random,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const wanted =
        error instanceof HubError && PASSING.has(error.code) && !(error instanceof UpstreamPaused)
          ? (error.retryAfterMs ?? 0)
          : Number.POSITIVE_INFINITY;
      if (attempt >= retries || wanted > LONGEST_PAUSE_MS || signal?.aborted === true) throw error;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + random() / 2);
      await sleep(Math.max(wanted, pause), undefined, signal === undefined ? {} : { signal }).catch(() => {
        throw error;
      });
    }
  }
}

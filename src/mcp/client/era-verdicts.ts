import type { Era } from '../wire/index.js';

/** Which era a server was found to speak, and when. */
export interface EraVerdict {
  readonly era: Era;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where verdicts are kept between connections. A key names a server: its address or its command. */
export interface EraVerdicts {
  get(key: string): EraVerdict | undefined | Promise<EraVerdict | undefined>;
  set(key: string, verdict: EraVerdict): void | Promise<void>;
  delete(key: string): void | Promise<void>;
}

// A modern verdict that is no longer true fails at once. A legacy one would go on working for ever and hide that
// the server has learned the modern protocol, so it expires.
const LEGACY_VERDICT_MS = 24 * 60 * 60 * 1000;

export function isCurrent(verdict: EraVerdict, now: number): boolean {
  return verdict.era === 'modern' || Math.abs(now - verdict.at) < LEGACY_VERDICT_MS;
}

/** Keeps the most recent verdicts in memory. */
export function createMemoryVerdicts(limit = 1000): EraVerdicts {
  const verdicts = new Map<string, EraVerdict>();
  return {
    get: (key) => verdicts.get(key),
    set(key, verdict) {
      verdicts.delete(key);
      verdicts.set(key, verdict);
      const oldest = verdicts.size > limit ? verdicts.keys().next() : undefined;
      if (oldest?.done === false) verdicts.delete(oldest.value);
    },
    delete(key) {
      verdicts.delete(key);
    },
  };
}

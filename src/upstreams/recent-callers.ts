import type { Clock } from '../kernel/index.js';

/** How much later than the answer to a call a question about it may arrive, when both came by ways of their own. */
const OVERTAKEN_MS = 1_000;
const MOST_KEPT = 1_000;

/**
 * Whose calls ended just now in one conversation. Over HTTP what a server asks on the stream that belongs to no request can
 * be overtaken by the answer to the call that it is about; by then somebody else may be the only one who calls.
 */
export class RecentCallers {
  readonly #clock: Clock;
  readonly #ended = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call of this principal is over. */
  note(principal: string): void {
    this.#ended.delete(principal);
    this.#ended.set(principal, this.#clock.monotonic() + OVERTAKEN_MS);
    if (this.#ended.size > MOST_KEPT) this.#forget();
  }

  /** Whether a question that came now may be about a call of somebody else. */
  hasOther(caller: string | undefined): boolean {
    this.#forget();
    const own = principalOf(caller);
    return [...this.#ended.keys()].some((principal) => principal !== own);
  }

  /** The oldest come first. */
  #forget(): void {
    const now = this.#clock.monotonic();
    for (const [principal, until] of this.#ended) {
      if (until > now) return;
      this.#ended.delete(principal);
    }
  }
}

/** Sessions of one principal are not strangers to each other. */
function principalOf(caller = ''): string {
  const end = caller.indexOf('\n');
  return end < 0 ? caller : caller.slice(0, end);
}

import { HubError } from '../kernel/index.js';

export interface TurnstileLimits {
  readonly concurrency: number;
  readonly queue: number;
  /** How long somebody may wait for a turn. */
  readonly waitMs: number;
}

/** Lets a bounded number in at a time, a bounded number wait for a bounded time, and turns the rest away at once. */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #name: string;
  /** In the order they came. */
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(name: string, limits: TurnstileLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  /** Undefined when there is room right now, so that the usual case does not wait a turn of the event loop. */
  enter(signal: () => AbortSignal | undefined): Promise<void> | undefined {
    const { concurrency, queue } = this.#limits;
    if (this.#inside < concurrency) {
      this.#inside++;
      return undefined;
    }
    if (this.#waiting.size >= queue) throw this.#busy(`${this.#inside} calls run and ${queue} wait`);
    return this.#wait(signal());
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#inside > this.#limits.concurrency) this.#inside--;
    else next();
  }

  /** For whoever was inside, left for a while and has something running there: it is let in whatever the number. */
  rejoin(): void {
    this.#inside++;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.#waiting.delete(turn);
      };
      const turn = (): void => {
        over();
        resolve();
      };
      const cancel = (): void => {
        over();
        reject(
          new HubError(
            'cancelled',
            `connector ${this.#name}: the call was cancelled while it waited for its turn`,
          ),
        );
      };
      const timer = setTimeout(() => {
        over();
        reject(this.#busy('no turn came in time'));
      }, this.#limits.waitMs);
      this.#waiting.add(turn);
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  #busy(how: string): HubError {
    return new HubError('overloaded', `connector ${this.#name} is busy: ${how}`, { retryAfterMs: 1_000 });
  }
}

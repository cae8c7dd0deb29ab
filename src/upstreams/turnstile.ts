import { HubError } from '../kernel/index.js';

export interface TurnstileLimits {
  readonly concurrency: number;
  readonly queue: number;
  /** How long somebody may wait for a turn. */
  readonly waitMs: number;
}

/** Who wants to come in. */
export interface Guest {
  readonly principal: string;
  /** Asked for only where somebody waits. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  turn(): void;
  refuse(error: HubError): void;
}

/**
 * Lets a bounded number in at a time, a bounded number wait for a bounded time, and turns the rest away at once. Those
 * who wait stand in a line for each principal, and the lines take turns: whoever asks for much waits behind itself, not
 * in front of others. Where the queue is full, the last of the longest line makes room for a shorter one.
 */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #name: string;
  /** The line whose turn is next comes first; in each, those who wait in the order they came. */
  readonly #lines = new Map<string, Set<Waiter>>();
  readonly #onTurnedAway: (() => void) | undefined;
  #waiting = 0;
  #inside = 0;

  constructor(name: string, limits: TurnstileLimits, onTurnedAway?: () => void) {
    this.#name = name;
    this.#limits = limits;
    this.#onTurnedAway = onTurnedAway;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Undefined when there is room right now, so that the usual case does not wait a turn of the event loop. */
  enter(guest: Guest): Promise<void> | undefined {
    const { concurrency, queue } = this.#limits;
    if (this.#inside < concurrency) {
      this.#inside++;
      return undefined;
    }
    if (this.#waiting >= queue) this.#makeRoomFor(guest.principal);
    return this.#wait(guest.principal, guest.signal);
  }

  /** Nobody can come in or wait without another having to go. */
  get isFull(): boolean {
    const { concurrency, queue } = this.#limits;
    return this.#inside >= concurrency && this.#waiting >= queue;
  }

  /** How many more could come in or wait. */
  get free(): number {
    const { concurrency, queue } = this.#limits;
    return Math.max(0, concurrency - this.#inside) + queue - this.#waiting;
  }

  /** Throws if whoever came now would be turned away at once. */
  requireRoom(principal: string): void {
    if (this.isFull) this.#requireLongerLine(principal);
  }

  admits(principal: string): boolean {
    return !this.isFull || this.#longerLine(principal) !== undefined;
  }

  leave(): void {
    if (this.#waiting === 0 || this.#inside > this.#limits.concurrency) this.#inside--;
    else this.#callNext();
  }

  /** For whoever was inside, left for a while and has something running there: it is let in whatever the number. */
  rejoin(): void {
    this.#inside++;
  }

  /** Nobody waits any longer. */
  refuseWaiting(error: () => HubError): void {
    const waiters = [...this.#lines.values()].flatMap((line) => [...line]);
    for (const waiter of waiters) waiter.refuse(error());
  }

  #callNext(): void {
    for (const [principal, line] of this.#lines) {
      // Its place is now behind all others, if anybody is left in it.
      this.#lines.delete(principal);
      this.#lines.set(principal, line);
      for (const waiter of line) {
        waiter.turn();
        return;
      }
    }
  }

  #makeRoomFor(principal: string): void {
    const last = [...this.#requireLongerLine(principal)].at(-1);
    this.#onTurnedAway?.();
    last?.refuse(this.#busy('others wait for their first turn'));
  }

  /** The line that has to make room. Throws where none is longer than the principal's own would be. */
  #requireLongerLine(principal: string): ReadonlySet<Waiter> {
    const longest = this.#longerLine(principal);
    if (longest !== undefined) return longest;
    this.#onTurnedAway?.();
    throw this.#busy(`${this.#inside} calls run and ${this.#waiting} wait`);
  }

  #longerLine(principal: string): ReadonlySet<Waiter> | undefined {
    let longest: ReadonlySet<Waiter> | undefined;
    let size = (this.#lines.get(principal)?.size ?? 0) + 1;
    for (const line of this.#lines.values()) if (line.size > size) [longest, size] = [line, line.size];
    return longest;
  }

  #wait(principal: string, signal: AbortSignal | undefined): Promise<void> {
    const line = this.#lines.get(principal) ?? new Set();
    this.#lines.set(principal, line);
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        this.#waiting--;
        line.delete(waiter);
        if (line.size === 0) this.#lines.delete(principal);
      };
      const waiter: Waiter = {
        turn: () => {
          over();
          resolve();
        },
        refuse: (error) => {
          over();
          reject(error);
        },
      };
      const cancel = (): void =>
        waiter.refuse(
          new HubError(
            'cancelled',
            `connector ${this.#name}: the call was cancelled while it waited for its turn`,
          ),
        );
      const timer = setTimeout(() => waiter.refuse(this.#busy('no turn came in time')), this.#limits.waitMs);
      line.add(waiter);
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  #busy(how: string): HubError {
    return new HubError('overloaded', `connector ${this.#name} is busy: ${how}`, { retryAfterMs: 1_000 });
  }
}

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
  /** Asked for only where somebody waits and there is no `onAbort`: making one costs something. */
  readonly signal?: AbortSignal | undefined;
  /** Takes a listener and calls it once when the guest gives up, at once if it has already. */
  readonly onAbort?: ((listener: () => void) => void) | undefined;
}

interface Waiter {
  readonly principal: string;
  readonly dueAt: number;
  resolve(): void;
  reject(error: HubError): void;
  over: (() => void) | undefined;
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
  /** Everybody who waits, in the order they came. */
  readonly #byAge = new Set<Waiter>();
  readonly #onTurnedAway: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
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
    return this.#byAge.size;
  }

  /** Undefined when there is room right now, so that the usual case does not wait a turn of the event loop. */
  enter(guest: Guest): Promise<void> | undefined {
    const { concurrency, queue } = this.#limits;
    if (this.#inside < concurrency) {
      this.#inside++;
      return undefined;
    }
    if (this.#byAge.size >= queue) this.#makeRoomFor(guest.principal);
    return this.#wait(guest);
  }

  /** Nobody can come in or wait without another having to go. */
  get isFull(): boolean {
    const { concurrency, queue } = this.#limits;
    return this.#inside >= concurrency && this.#byAge.size >= queue;
  }

  /** How many more could come in or wait. */
  get free(): number {
    const { concurrency, queue } = this.#limits;
    return Math.max(0, concurrency - this.#inside) + queue - this.#byAge.size;
  }

  /** Throws if whoever came now would be turned away at once. */
  requireRoom(principal: string): void {
    if (this.isFull) this.#requireLongerLine(principal);
  }

  admits(principal: string): boolean {
    return !this.isFull || this.#longerLine(principal) !== undefined;
  }

  leave(): void {
    if (this.#byAge.size === 0 || this.#inside > this.#limits.concurrency) this.#inside--;
    else this.#callNext();
  }

  /** For whoever was inside, left for a while and has something running there: it is let in whatever the number. */
  rejoin(): void {
    this.#inside++;
  }

  /** Nobody waits any longer. */
  refuseWaiting(error: () => HubError): void {
    for (const waiter of this.#byAge) this.#refuse(waiter, error);
  }

  #callNext(): void {
    for (const [principal, line] of this.#lines) {
      // Its place is now behind all others, if anybody is left in it.
      this.#lines.delete(principal);
      this.#lines.set(principal, line);
      for (const waiter of line) {
        this.#takeOut(waiter);
        waiter.resolve();
        return;
      }
    }
  }

  #makeRoomFor(principal: string): void {
    const last = [...this.#requireLongerLine(principal)].at(-1);
    this.#onTurnedAway?.();
    if (last !== undefined) this.#refuse(last, () => this.#busy('others wait for their first turn'));
  }

  /** The line that has to make room. Throws where none is longer than the principal's own would be. */
  #requireLongerLine(principal: string): ReadonlySet<Waiter> {
    const longest = this.#longerLine(principal);
    if (longest !== undefined) return longest;
    this.#onTurnedAway?.();
    throw this.#busy(`${this.#inside} calls run and ${this.#byAge.size} wait`);
  }

  #longerLine(principal: string): ReadonlySet<Waiter> | undefined {
    let longest: ReadonlySet<Waiter> | undefined;
    let size = (this.#lines.get(principal)?.size ?? 0) + 1;
    for (const line of this.#lines.values()) if (line.size > size) [longest, size] = [line, line.size];
    return longest;
  }

  #wait(guest: Guest): Promise<void> {
    const { principal } = guest;
    return new Promise((resolve, reject) => {
      const dueAt = performance.now() + this.#limits.waitMs;
      const waiter: Waiter = { principal, dueAt, resolve, reject, over: undefined };
      const line = this.#lines.get(principal);
      if (line === undefined) this.#lines.set(principal, new Set([waiter]));
      else line.add(waiter);
      this.#byAge.add(waiter);
      this.#timer ??= setTimeout(this.#expire, this.#limits.waitMs);
      const cancel = (): void =>
        this.#refuse(
          waiter,
          () =>
            new HubError(
              'cancelled',
              `connector ${this.#name}: the call was cancelled while it waited for its turn`,
            ),
        );
      if (guest.onAbort !== undefined) guest.onAbort(cancel);
      else waiter.over = listenFor(guest.signal, cancel);
    });
  }

  /** All wait equally long, so whoever came first is due first: one timer serves them all. */
  readonly #expire = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const waiter of this.#byAge) {
      // Timers may fire a fraction of a millisecond early.
      if (waiter.dueAt > now + 1) {
        this.#timer = setTimeout(this.#expire, waiter.dueAt - now);
        return;
      }
      this.#refuse(waiter, () => this.#busy('no turn came in time'));
    }
  };

  #refuse(waiter: Waiter, error: () => HubError): void {
    if (this.#takeOut(waiter)) waiter.reject(error());
  }

  /** False for whoever waits no more. */
  #takeOut(waiter: Waiter): boolean {
    if (!this.#byAge.delete(waiter)) return false;
    const line = this.#lines.get(waiter.principal);
    line?.delete(waiter);
    waiter.over?.();
    if (line?.size === 0) this.#lines.delete(waiter.principal);
    if (this.#byAge.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    return true;
  }

  #busy(how: string): HubError {
    return new HubError('overloaded', `connector ${this.#name} is busy: ${how}`, { retryAfterMs: 1_000 });
  }
}

/** The returned function ends it. */
function listenFor(signal: AbortSignal | undefined, listener: () => void): (() => void) | undefined {
  if (signal?.aborted === true) listener();
  else signal?.addEventListener('abort', listener);
  return signal && (() => signal.removeEventListener('abort', listener));
}

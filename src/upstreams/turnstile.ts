import { FairQueue, HubError } from '../kernel/index.js';

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
 * who wait stand in a line for each principal, and the lines take turns.
 */
export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #name: string;
  readonly #queue = new FairQueue<Waiter>();
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
    if (this.isFull && !this.#queue.canMakeRoomFor(principal)) throw this.#turnedAway();
  }

  admits(principal: string): boolean {
    return !this.isFull || this.#queue.canMakeRoomFor(principal);
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
    for (const waiter of this.#queue.takeAll()) this.#refuse(waiter, error());
  }

  #callNext(): void {
    const waiter = this.#queue.shift();
    if (waiter === undefined) return;
    this.#forget(waiter);
    waiter.resolve();
  }

  #makeRoomFor(principal: string): void {
    const last = this.#queue.makeRoomFor(principal);
    if (last === undefined) throw this.#turnedAway();
    this.#onTurnedAway?.();
    this.#refuse(last, this.#busy('others wait for their first turn'));
  }

  #wait(guest: Guest): Promise<void> {
    const { principal } = guest;
    return new Promise((resolve, reject) => {
      const dueAt = performance.now() + this.#limits.waitMs;
      const waiter: Waiter = { principal, dueAt, resolve, reject, over: undefined };
      this.#queue.push(principal, waiter);
      this.#byAge.add(waiter);
      this.#timer ??= setTimeout(this.#expire, this.#limits.waitMs);
      const cancel = (): void => this.#cancel(waiter);
      if (guest.onAbort !== undefined) guest.onAbort(cancel);
      else waiter.over = listenFor(guest.signal, cancel);
    });
  }

  #cancel(waiter: Waiter): void {
    if (!this.#byAge.has(waiter)) return;
    this.#queue.remove(waiter.principal, waiter);
    const why = `connector ${this.#name}: the call was cancelled while it waited for its turn`;
    this.#refuse(waiter, new HubError('cancelled', why));
  }

  /** All wait equally long, so whoever came first is due first: one timer serves them all. */
  readonly #expire = (): void => {
    this.#timer = undefined;
    // Timers may fire a fraction of a millisecond early.
    const now = performance.now() + 1;
    for (const waiter of this.#queue.takeHeads(({ dueAt }) => dueAt <= now))
      this.#refuse(waiter, this.#busy('no turn came in time'));
    const [oldest] = this.#byAge;
    if (oldest !== undefined) this.#timer = setTimeout(this.#expire, oldest.dueAt - now);
  };

  /** For whoever is in no line any more. */
  #refuse(waiter: Waiter, error: HubError): void {
    this.#forget(waiter);
    waiter.reject(error);
  }

  #forget(waiter: Waiter): void {
    this.#byAge.delete(waiter);
    waiter.over?.();
    if (this.#byAge.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #turnedAway(): HubError {
    this.#onTurnedAway?.();
    return this.#busy(`${this.#inside} calls run and ${this.#byAge.size} wait`);
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

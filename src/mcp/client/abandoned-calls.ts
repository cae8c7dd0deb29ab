import type { Clock } from './clock.js';
import type { OngoingCall } from './options.js';

/** For how long a peer may not have noticed that a call was taken back. */
const LINGER_MS = 60_000;
const MOST = 256;

/** Of more calls than are kept it is known that they were, not whose. */
const SOME_CALL: OngoingCall = { method: 'tools/call', params: undefined, tag: undefined, caller: '' };

interface Abandoned {
  readonly call: OngoingCall;
  readonly until: number;
}

/**
 * Calls that were taken back a short while ago. Of each only what tells whose it was is kept, and nothing for longer than
 * it counts: through a call everything of its caller can be reached.
 */
export class AbandonedCalls {
  readonly #clock: Clock;
  #calls: Abandoned[] = [];
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add({ method, tag, caller }: OngoingCall): void {
    this.#dropOld();
    const until = this.#clock.now() + LINGER_MS;
    if (this.#calls.length < MOST)
      this.#calls.push({ call: { method, params: undefined, tag, caller }, until });
    else this.#calls[MOST - 1] = { call: SOME_CALL, until };
    this.#cancel ??= this.#clock.after(LINGER_MS, () => this.#sweep());
  }

  recent(): readonly OngoingCall[] {
    this.#dropOld();
    return this.#calls.map(({ call }) => call);
  }

  clear(): void {
    this.#calls = [];
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #dropOld(): void {
    if (this.#calls.length === 0) return;
    const now = this.#clock.now();
    this.#calls = this.#calls.filter(({ until }) => until > now);
  }

  #sweep(): void {
    this.#cancel = undefined;
    this.#dropOld();
    const [oldest] = this.#calls;
    if (oldest !== undefined)
      this.#cancel = this.#clock.after(oldest.until - this.#clock.now(), () => this.#sweep());
  }
}

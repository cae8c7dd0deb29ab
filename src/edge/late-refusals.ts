import type { WaitingCall } from '../mcp/server/index.js';

type Refusable = Pick<WaitingCall, 'refuse' | 'bytes'>;

/**
 * A client that is refused at once asks again at once, and refusing it is all that we do. One that waits for its answer asks
 * for nothing else meanwhile.
 */
const LATE_MS = 15;
const SWEEP_MS = 5;
/** Beyond this there is no end of clients, and no use in letting them wait. */
const MOST_LATE = 4096;
/** A body is kept until its call is answered. */
const LARGEST = 16 * 1024;
/**
 * No more are refused, so that calls that are served get their share: with thousands of clients that ask again at once there would
 * be time for nothing else. They wait longer instead, the longer the more of them there are.
 */
const MOST_PER_MS = 5;

/** Calls that are refused after a moment, in the order in which that was decided. */
export class LateRefusals {
  readonly #now: () => number;
  readonly #calls: { readonly call: Refusable; readonly dueAt: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sweptAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  push(call: Refusable): void {
    if (this.#calls.length >= MOST_LATE || call.bytes > LARGEST) return call.refuse();
    const now = this.#now();
    this.#calls.push({ call, dueAt: now + LATE_MS });
    if (this.#timer === undefined) this.#sweepSoon(now);
  }

  /** All at once. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { call } of this.#calls.splice(0)) call.refuse();
  }

  readonly #refuseDue = (): void => {
    this.#timer = undefined;
    const now = this.#now();
    const most = Math.ceil((now - this.#sweptAt) * MOST_PER_MS);
    const notDue = this.#calls.findIndex(({ dueAt }, at) => dueAt > now || at === most);
    const due = notDue === -1 ? this.#calls.length : notDue;
    for (const { call } of this.#calls.splice(0, due)) call.refuse();
    if (this.#calls.length > 0) this.#sweepSoon(now);
  };

  #sweepSoon(now: number): void {
    this.#sweptAt = now;
    this.#timer = setTimeout(this.#refuseDue, SWEEP_MS).unref();
  }
}

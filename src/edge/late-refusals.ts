import type { WaitingCall } from '../mcp/server/index.js';

type Refusable = Pick<WaitingCall, 'refuse' | 'bytes'>;

/**
 * A client that is refused at once asks again at once, and refusing it is all that we do. One that waits for its answer asks
 * for nothing else meanwhile.
 */
const LATE_MS = 15;
const SWEEP_MS = 5;
/** Beyond this there is no end of clients, and no use in letting them wait. */
const MOST_LATE = 512;
/** A body is kept until its call is answered. */
const LARGEST = 16 * 1024;
/** No more are refused in one turn of the event loop, so that calls that are served get their share. */
const MOST_IN_SWEEP = 64;

/** Calls that are refused after a moment, in the order in which that was decided. */
export class LateRefusals {
  readonly #now: () => number;
  readonly #calls: { readonly call: Refusable; readonly dueAt: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  push(call: Refusable): void {
    if (this.#calls.length >= MOST_LATE || call.bytes > LARGEST) return call.refuse();
    this.#calls.push({ call, dueAt: this.#now() + LATE_MS });
    this.#timer ??= setTimeout(this.#refuseDue, SWEEP_MS).unref();
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
    const notDue = this.#calls.findIndex(({ dueAt }) => dueAt > now);
    const due = Math.min(notDue === -1 ? this.#calls.length : notDue, MOST_IN_SWEEP);
    for (const { call } of this.#calls.splice(0, due)) call.refuse();
    if (this.#calls.length > 0) this.#timer = setTimeout(this.#refuseDue, SWEEP_MS).unref();
  };
}

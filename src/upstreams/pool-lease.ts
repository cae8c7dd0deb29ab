import type { Member } from './pool-member.js';
import type { Caller, Lease, Upstream } from './upstream.js';

/** Who hears that a conversation of the pool has one user less. */
export interface LeaseKeeper {
  /** Returns what has to be over before another may take the turn. */
  released(key: string, member: Member): Promise<void> | undefined;
}

/** One use of a conversation, and the turn that was taken for it. */
export class PoolLease implements Lease {
  readonly upstream: Upstream;
  readonly #keeper: LeaseKeeper;
  readonly #key: string;
  readonly #member: Member;
  readonly #caller: Caller;
  #released = false;
  #resting = 0;

  constructor(keeper: LeaseKeeper, key: string, member: Member, upstream: Upstream, caller: Caller) {
    this.upstream = upstream;
    this.#keeper = keeper;
    this.#key = key;
    this.#member = member;
    this.#caller = caller;
  }

  async rest<Result>(work: () => Promise<Result>): Promise<Result> {
    const { gate } = this.#member.common;
    if (this.#resting++ === 0 && !this.#released) gate.leave();
    try {
      return await work();
    } finally {
      if (--this.#resting === 0 && !this.#released) gate.rejoin();
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    const member = this.#member;
    const { gate } = member.common;
    if (this.#caller.asks !== undefined) member.recent?.note(this.#caller.principal);
    const ending = this.#keeper.released(this.#key, member);
    if (this.#resting > 0) return;
    if (ending === undefined) gate.leave();
    else void ending.then(() => gate.leave());
  }
}

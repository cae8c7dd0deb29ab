import type { Clock } from '../../kernel/index.js';

export interface HeldLockOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** When it was asked for: the lease may have begun then. */
  readonly askedAt: number;
  /** False: it is somebody else's or nobody's. Throws if nobody can tell. */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/** Renews the lease three times in its length. Where that fails until the lease has passed, the lock counts as lost. */
export class HeldLock {
  readonly #options: HeldLockOptions;
  readonly #lost = new AbortController();
  #validUntil: number;
  #renewal: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #renewing = false;
  #ended = false;

  constructor(options: HeldLockOptions) {
    this.#options = options;
    this.#validUntil = options.askedAt + options.leaseMs;
    this.#schedule();
  }

  get lost(): AbortSignal {
    // A process that stood still hears of other things before it hears of its timers.
    if (!this.#ended && this.#options.clock.monotonic() >= this.#validUntil) this.lose();
    return this.#lost.signal;
  }

  /** After the connection was away: the server may have forgotten. */
  renewNow(): void {
    void this.#renew();
  }

  lose(): void {
    this.#stop();
    this.#lost.abort();
  }

  async release(): Promise<void> {
    if (this.#ended && !this.lost.aborted) return;
    this.#stop();
    await this.#options.release();
  }

  #schedule(): void {
    if (this.#ended) return;
    clearTimeout(this.#renewal);
    clearTimeout(this.#expiry);
    const { clock, leaseMs } = this.#options;
    this.#renewal = setTimeout(() => void this.#renew(), leaseMs / 3);
    this.#expiry = setTimeout(() => this.lose(), Math.max(0, this.#validUntil - clock.monotonic()));
    this.#renewal.unref();
    this.#expiry.unref();
  }

  async #renew(): Promise<void> {
    if (this.#ended || this.#renewing) return;
    this.#renewing = true;
    const { clock, leaseMs } = this.#options;
    const askedAt = clock.monotonic();
    try {
      const ours = await this.#options.renew();
      if (!ours) this.lose();
      // An answer that came too late proves nothing about the time before it.
      else if (clock.monotonic() < this.#validUntil) this.#validUntil = askedAt + leaseMs;
    } catch {
      // Not reachable: tried again until the lease has passed.
    } finally {
      this.#renewing = false;
      this.#schedule();
    }
  }

  #stop(): void {
    this.#ended = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#expiry);
  }
}

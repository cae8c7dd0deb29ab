import type { Connector } from '../connectors/index.js';
import type { Clock, ConnectorId, HubError } from '../kernel/index.js';
import { Breaker } from './breaker.js';
import { Turnstile, type Guest } from './turnstile.js';
import type { UpstreamState } from './upstream.js';
import { lifeSign } from './upstream-failure.js';
import { UpstreamPaused } from './upstream-paused.js';

/** A gate as those see it who hold calls back in front of it. */
export interface Gate {
  readonly connector: ConnectorId;
  /** How many more could come in or wait. */
  readonly free: number;
  /** How many come in at once, and how many may wait. */
  readonly concurrency: number;
  readonly queue: number;
  /** Whether this principal would be let in or could wait, perhaps in place of another. */
  admits(principal: string): boolean;
}

/** Hears where there are more calls than a connector takes. */
export interface GateListener {
  turnedAway(gate: Gate): void;
  /** There is no such gate any longer. */
  gone(gate: Gate): void;
}

export interface GateOptions {
  readonly connector: Connector;
  readonly clock: Clock;
  readonly listener?: GateListener | undefined;
  readonly onOpen: (failures: number, reason: string) => void;
  readonly onClose: (openMs: number) => void;
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['CONNECT_FAILED', 'TIMEOUT_CONNECT']);

/** Whoever `insists` is let through while others are kept away. */
export interface Visitor extends Guest {
  readonly insists?: boolean | undefined;
}

/** The one place that decides whether a connector takes one more call: breaker, bulkhead and fair queue. */
export class ConnectorGate implements Gate {
  readonly #connector: Connector;
  readonly #turnstile: Turnstile;
  readonly #breaker: Breaker;
  #lastFailure = '';
  #isSilent = false;

  constructor({ connector, clock, listener, onOpen, onClose }: GateOptions) {
    const { limits, timeouts } = connector;
    this.#connector = connector;
    this.#turnstile = new Turnstile(connector.id, { ...limits, waitMs: timeouts.requestMs }, () =>
      listener?.turnedAway(this),
    );
    this.#breaker = new Breaker({
      clock,
      failures: limits.breakerFailures,
      onOpen: (failures) => {
        this.#turnstile.refuseWaiting(() => this.paused());
        onOpen(failures, this.#lastFailure);
      },
      onClose,
    });
  }

  get connector(): ConnectorId {
    return this.#connector.id;
  }

  get free(): number {
    return this.#breaker.isOpen ? Number.POSITIVE_INFINITY : this.#turnstile.free;
  }

  get concurrency(): number {
    return this.#connector.limits.concurrency;
  }

  get queue(): number {
    return this.#connector.limits.queue;
  }

  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Whether it can be reached and does not answer all the same. That it can be reached then proves nothing. */
  get isSilent(): boolean {
    return this.#breaker.isOpen && this.#isSilent;
  }

  get running(): number {
    return this.#turnstile.inside;
  }

  get waiting(): number {
    return this.#turnstile.waiting;
  }

  get failures(): number {
    return this.#breaker.failures;
  }

  get retryAfterMs(): number {
    return this.#breaker.waitMs;
  }

  admits(principal: string): boolean {
    return this.#breaker.isOpen || this.#turnstile.admits(principal);
  }

  /** Throws if there is room neither inside nor in the queue. With the breaker open, whoever finds out needs none. */
  requireRoom(principal: string): void {
    if (!this.#breaker.isOpen) this.#turnstile.requireRoom(principal);
  }

  /** Undefined where nobody has to wait. Whoever came in must leave. */
  enter(visitor: Visitor): Promise<void> | undefined {
    if (!this.#breaker.isOpen) return this.#turnstile.enter(visitor);
    if (this.#breaker.admit(visitor.insists === true) !== 'trial') throw this.paused();
    // Calls that hang may hold every turn; the one that finds out does not wait for them.
    this.#turnstile.rejoin();
    return undefined;
  }

  leave(): void {
    this.#turnstile.leave();
  }

  rejoin(): void {
    this.#turnstile.rejoin();
  }

  alive(): void {
    this.#breaker.alive();
  }

  failed(error: HubError): void {
    const sign = lifeSign(error);
    if (sign === 'alive') this.#breaker.alive();
    if (sign !== 'dead') return;
    this.#lastFailure = error.message;
    this.#isSilent = !UNREACHABLE.has(error.details?.['reason']);
    this.#breaker.failed();
  }

  paused(): UpstreamPaused {
    const { id } = this.#connector;
    const waitMs = this.#breaker.waitMs;
    return new UpstreamPaused(
      'breaker_open',
      `connector ${id} does not answer (${this.#breaker.failures} failures in a row); nothing is sent to it for ${Math.ceil(waitMs / 1000)} s`,
      waitMs,
    );
  }
}

/** How calls for a connector fare; one that nobody has called yet has no gate. */
export function trafficOf(gate: ConnectorGate | undefined): Omit<UpstreamState, 'conversations'> {
  return {
    breaker: gate?.isOpen === true ? 'open' : 'closed',
    failures: gate?.failures ?? 0,
    retryAfterMs: gate?.retryAfterMs ?? 0,
    running: gate?.running ?? 0,
    waiting: gate?.waiting ?? 0,
  };
}

import { getHeapStatistics } from 'node:v8';
import type { Logger } from '../kernel/index.js';
import type { Load } from '../mcp/server/index.js';

export interface LoadGuardOptions {
  /** Calls that may be under way at once in this process. */
  readonly maxCalls: number;
  readonly logger: Logger;
  /** How full the heap is, 0 to 1. */
  readonly heapUse?: () => number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

export interface LoadGuard extends Load {
  /** Calls under way. */
  readonly running: number;
  /** How many there may be at the moment. */
  readonly ceiling: number;
  /** Requests that were turned away since the start. */
  readonly shed: number;
  /** False after the process could do nothing for long, until it keeps up again. */
  readonly isResponsive: boolean;
  close(): void;
}

const SAMPLE_MS = 100;
/** A turn of the event loop that is later than this means that there is more to do than can be done. */
const LATE_MS = 100;
const BLOCKED_MS = 1_000;
const UNRESPONSIVE_MS = 5_000;
/** One late turn may be anything: code that is loaded, a collection, a neighbour. */
const LATE_TURNS = 3;
/** So many a process can have under way however busy it is. */
const FEWEST_CALLS = 256;
const FULL_HEAP = 0.92;

/** Beyond the ceiling there is room for so many of it again, for whoever has less under way than an equal share. */
const FAIR_ROOM = 0.25;

/** Cheap for us, and what clients need to find out what is wrong. */
const ALWAYS_SERVED: ReadonlySet<string> = new Set(['ping', 'initialize', 'server/discover']);
/** Answered from memory: they wait for nobody, so their number is no measure. */
const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'logging/setLevel',
]);

export function createLoadGuard(options: LoadGuardOptions): LoadGuard {
  return new EventLoopGuard(options);
}

/**
 * Turns requests away before they cost much when there are more than the process can serve, so that those it takes are
 * served in time. An agent that has many under way leaves room for those who have few. How many it takes falls while the
 * event loop is late and rises again while it is not; when memory runs out it takes no work at all.
 */
class EventLoopGuard implements LoadGuard {
  readonly #maxCalls: number;
  readonly #logger: Logger;
  readonly #heapUse: () => number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #sampledAt: number;
  #samples = 0;
  #lateTurns = 0;
  readonly #byPrincipal = new Map<string, number>();
  #running = 0;
  #ceiling: number;
  #shed = 0;
  #isFull = false;
  #isResponsive = true;

  constructor({
    maxCalls,
    logger,
    heapUse = heapUseOfProcess,
    now = () => performance.now(),
  }: LoadGuardOptions) {
    this.#maxCalls = maxCalls;
    this.#ceiling = maxCalls;
    this.#logger = logger;
    this.#heapUse = heapUse;
    this.#now = now;
    this.#sampledAt = now();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  get running(): number {
    return this.#running;
  }

  get ceiling(): number {
    return this.#ceiling;
  }

  get shed(): number {
    return this.#shed;
  }

  get isResponsive(): boolean {
    return this.#isResponsive;
  }

  begin(principal: string): void {
    this.#running++;
    this.#byPrincipal.set(principal, (this.#byPrincipal.get(principal) ?? 0) + 1);
  }

  end(principal: string): void {
    this.#running--;
    const left = (this.#byPrincipal.get(principal) ?? 0) - 1;
    if (left > 0) this.#byPrincipal.set(principal, left);
    else this.#byPrincipal.delete(principal);
  }

  refuses(method: string, principal: string): boolean {
    if (this.#running < this.#ceiling && !this.#isFull) return false;
    if (ALWAYS_SERVED.has(method) || (!this.#isFull && ANSWERED_AT_ONCE.has(method))) return false;
    if (!this.#isFull && this.#isOwed(principal)) return false;
    this.#shed++;
    return true;
  }

  #isOwed(principal: string): boolean {
    if (this.#running >= this.#ceiling * (1 + FAIR_ROOM)) return false;
    const own = this.#byPrincipal.get(principal) ?? 0;
    const sharers = this.#byPrincipal.size + (own === 0 ? 1 : 0);
    return own < this.#ceiling / sharers;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const now = this.#now();
    const lateMs = now - this.#sampledAt - SAMPLE_MS;
    this.#sampledAt = now;
    this.#isResponsive = lateMs < UNRESPONSIVE_MS;
    if (lateMs >= BLOCKED_MS)
      this.#logger.warn({ lateMs: Math.round(lateMs) }, 'the event loop could not run');
    this.#lateTurns = lateMs > LATE_MS ? this.#lateTurns + 1 : 0;
    if (this.#lateTurns >= LATE_TURNS)
      this.#ceiling = Math.max(FEWEST_CALLS, Math.floor(Math.min(this.#ceiling, this.#running) * 0.75));
    else if (this.#lateTurns === 0)
      this.#ceiling = Math.min(this.#maxCalls, this.#ceiling + Math.max(4, Math.ceil(this.#ceiling / 20)));
    // Once a second: asking costs something.
    if (++this.#samples % 10 === 0) this.#isFull = this.#heapUse() > FULL_HEAP;
  }
}

function heapUseOfProcess(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

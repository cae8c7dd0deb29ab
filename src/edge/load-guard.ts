import { getHeapStatistics } from 'node:v8';
import { FairQueue, type Logger } from '../kernel/index.js';
import type { Load, WaitingCall } from '../mcp/server/index.js';
import type { CrowdedGates, Turn } from './crowded-gates.js';
import { LateRefusals } from './late-refusals.js';

export interface LoadGuardOptions {
  /** Calls that may be under way at once in this process. */
  readonly maxCalls: number;
  readonly logger: Logger;
  /** Connectors that have more to do than they take. */
  readonly crowded?: CrowdedGates;
  /** How full the heap is, 0 to 1. */
  readonly heapUse?: () => number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

export interface LoadGuard extends Load {
  /** Calls under way. */
  readonly running: number;
  /** Calls that nobody has looked at yet. */
  readonly waiting: number;
  /** How many of them there may be at the moment. */
  readonly room: number;
  /** Requests that the process had no room for since the start. */
  readonly shed: number;
  /** Calls that a connector had no room for and that were turned away unread, by connector. */
  readonly shedBy: ReadonlyMap<string, number>;
  /** False after the process could do nothing for long, until it keeps up again. */
  readonly isResponsive: boolean;
  /** Turns away whoever waits. */
  close(): void;
}

const SAMPLE_MS = 100;
const BLOCKED_MS = 1_000;
const UNRESPONSIVE_MS = 5_000;
const FULL_HEAP = 0.92;

/** So many requests of one turn of the event loop are read without looking at the time. */
const FREE_IN_TURN = 8;
/** After this long in one turn the rest waits, so that answers of upstreams and other sockets get theirs. */
const TURN_MS = 4;
/** Calls that wait without a break for this many samples are no burst that passes, but too many. */
const STANDING_SAMPLES = 5;
/** After that nobody is let in who would have to wait longer than this. */
const STANDING_WAIT_MS = 75;
/** So many a process can have under way however busy it is. */
const FEWEST_CALLS = 256;
const FEWEST_WAITING = 32;

/** Beyond the most there is room for so many of it again, for whoever has less under way than an equal share. */
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

const NONE: ReadonlyMap<string, number> = new Map();

export function createLoadGuard(options: LoadGuardOptions): LoadGuard {
  return new EventLoopGuard(options);
}

/**
 * Turns calls away before they cost anything when there are more than the process can serve, so that those it takes are
 * served in time. What it begins in one turn of the event loop is bounded by time; the rest waits, unread, in a line for each
 * principal. As long as the lines become empty from time to time they may be long; where they never do, waiting only makes
 * everybody late, and who would have to wait is told at once. When memory runs out no work is taken at all.
 */
class EventLoopGuard implements LoadGuard {
  readonly #maxCalls: number;
  readonly #logger: Logger;
  readonly #heapUse: () => number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #byPrincipal = new Map<string, number>();
  readonly #queue = new FairQueue<Turn>();
  readonly #late: LateRefusals;
  readonly #crowded: CrowdedGates | undefined;
  #sampledAt: number;
  #samples = 0;
  #running = 0;
  #shed = 0;
  #isFull = false;
  #isResponsive = true;
  /** Requests that were begun in this turn, and since when the time is looked at. */
  #begunInTurn = 0;
  #turnAt = 0;
  #turn: NodeJS.Immediate | undefined;
  /** For how many samples calls have waited all the time. */
  #standing = 0;
  #wasEmpty = true;
  #begun = 0;
  #perMs = 0;
  #room: number;

  constructor({
    maxCalls,
    logger,
    crowded,
    heapUse = heapUseOfProcess,
    now = () => performance.now(),
  }: LoadGuardOptions) {
    this.#maxCalls = maxCalls;
    this.#room = maxCalls;
    this.#logger = logger;
    this.#crowded = crowded;
    crowded?.open((sender, call) => this.#push(sender, call));
    this.#heapUse = heapUse;
    this.#now = now;
    this.#late = new LateRefusals(now);
    this.#sampledAt = now();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get room(): number {
    return this.#room;
  }

  get shed(): number {
    return this.#shed;
  }

  get shedBy(): ReadonlyMap<string, number> {
    return this.#crowded?.refused ?? NONE;
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

  hasRoom(): boolean {
    return this.#crowded?.isActive !== true && this.#begins();
  }

  /** Whether one more may be begun in this turn. It then counts as begun. */
  #begins(): boolean {
    if (this.#queue.size > 0 || this.#running >= this.#maxCalls || this.#isFull) return false;
    const begun = ++this.#begunInTurn;
    if (begun > FREE_IN_TURN && this.#now() - this.#turnAt >= TURN_MS) return false;
    if (begun === FREE_IN_TURN) {
      this.#turnAt = this.#now();
      this.#turn ??= setImmediate(this.#nextTurn);
    }
    this.#begun++;
    return true;
  }

  wait(principal: string, call: WaitingCall): void {
    if (this.refuses('tools/call', principal)) return call.refuse();
    if (this.#crowded?.isActive === true) {
      if (this.#crowded.takes(call)) return;
      if (this.#begins()) return call.run();
    }
    if (this.#queue.size >= this.#room) {
      const other = this.#queue.makeRoomFor(principal);
      this.#shed++;
      this.#late.push(other ?? call);
      if (other === undefined) return;
    }
    this.#push(principal, call);
  }

  #push(principal: string, call: Turn): void {
    this.#queue.push(principal, call);
    this.#turn ??= setImmediate(this.#nextTurn);
  }

  refuses(method: string, principal: string): boolean {
    if (this.#running < this.#maxCalls && !this.#isFull) return false;
    if (ALWAYS_SERVED.has(method) || (!this.#isFull && ANSWERED_AT_ONCE.has(method))) return false;
    if (!this.#isFull && this.#isOwed(principal)) return false;
    this.#shed++;
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#turn);
    this.#crowded?.close();
    this.#late.close();
    for (const call of this.#queue.takeAll()) call.refuse();
  }

  #isOwed(principal: string): boolean {
    if (this.#running >= this.#maxCalls * (1 + FAIR_ROOM)) return false;
    const own = this.#byPrincipal.get(principal) ?? 0;
    const sharers = this.#byPrincipal.size + (own === 0 ? 1 : 0);
    return own < this.#maxCalls / sharers;
  }

  readonly #nextTurn = (): void => {
    this.#turn = undefined;
    this.#begunInTurn = 0;
    if (this.#queue.size === 0) return;
    this.#turnAt = this.#now();
    this.#runNext();
  };

  /** One after another by microtasks, so that what one of them does at once is done, and counted, before the next begins. */
  readonly #runNext = (): void => {
    const call = this.#queue.shift();
    if (call === undefined) {
      this.#wasEmpty = true;
      return;
    }
    this.#begun++;
    call.run();
    if (this.#now() - this.#turnAt < TURN_MS) queueMicrotask(this.#runNext);
    else this.#turn ??= setImmediate(this.#nextTurn);
  };

  #sample(): void {
    const now = this.#now();
    const tookMs = now - this.#sampledAt;
    this.#sampledAt = now;
    this.#isResponsive = tookMs - SAMPLE_MS < UNRESPONSIVE_MS;
    if (tookMs - SAMPLE_MS >= BLOCKED_MS)
      this.#logger.warn({ lateMs: Math.round(tookMs - SAMPLE_MS) }, 'the event loop could not run');
    this.#measureRoom(tookMs);
    // Once a second: asking costs something.
    if (++this.#samples % 10 === 0) this.#isFull = this.#heapUse() > FULL_HEAP;
  }

  #measureRoom(tookMs: number): void {
    this.#perMs += (this.#begun / tookMs - this.#perMs) / 4;
    this.#begun = 0;
    const isStanding = !this.#wasEmpty && this.#queue.size > 0;
    this.#wasEmpty = this.#queue.size === 0;
    this.#standing = Math.max(0, Math.min(2 * STANDING_SAMPLES, this.#standing + (isStanding ? 1 : -1)));
    this.#room =
      this.#standing < STANDING_SAMPLES
        ? this.#maxCalls
        : Math.max(FEWEST_WAITING, FEWEST_CALLS - this.#running, Math.ceil(this.#perMs * STANDING_WAIT_MS));
  }
}

function heapUseOfProcess(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

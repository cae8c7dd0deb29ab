import { FairQueue } from '../kernel/index.js';
import type { WaitingCall } from '../mcp/server/index.js';
import type { Gate, GateListener } from '../upstreams/index.js';
import { LateRefusals } from './late-refusals.js';

/** So many refusals a second at one connector are given in full: read, judged, explained and recorded. */
const FULL_REFUSALS = 32;
const WINDOW_MS = 1_000;
/** As many may wait in front of a gate as are answered in this time. */
const WAIT_MS = 75;
const FEWEST_WAITING = 8;
const MOST_WAITING = 512;
/** Who has waited for so long waits no longer: fewer are answered than before. */
const LONGEST_WAIT_MS = 2 * WAIT_MS;
const SWEEP_MS = 10;
/** How much the last sweep counts in the rate. */
const NEWEST = 1 / 8;
/** Connectors that are counted one by one. */
const MOST_COUNTED = 300;
const REST = 'other';

/** A call that nobody asks any more where it is bound for. */
export type Turn = Pick<WaitingCall, 'run' | 'refuse' | 'bytes'>;

interface Held {
  readonly sender: string;
  readonly call: WaitingCall;
  readonly until: number;
}

/** A gate that turns some away, and those who wait in front of it. */
interface Crowd {
  readonly gate: Gate;
  readonly held: FairQueue<Held>;
  /** So many are turned away that others are held. */
  isActive: boolean;
  /** Calls for it that were begun from here and are not answered yet: at the gate, on their way to it or back. */
  begun: number;
  /** How many were answered since the last sweep, and by the millisecond before. */
  answered: number;
  answeredPerMs: number;
  /** Refusals in this window that were given in full. */
  turnedAway: number;
  /** Whether there was anybody to hold in this window. */
  isBusy: boolean;
}

/**
 * Calls for connectors that have more of them than they take. Where a gate turns many away, further calls for it wait in front of
 * the hub, unread and in a line for each sender, as many as will be answered soon; whenever one is answered the next is
 * read. The others are refused for the price of a short answer. Calls for other connectors are not concerned.
 */
export class CrowdedGates implements GateListener {
  readonly #now: () => number;
  readonly #crowds = new Map<string, Crowd>();
  readonly #refused = new Map<string, number>();
  readonly #late: LateRefusals;
  #sweptAt = 0;
  #begin: (sender: string, call: Turn) => void = (_sender, call) => call.refuse();
  #active = 0;
  #window: NodeJS.Timeout | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#late = new LateRefusals(now);
  }

  /** Whether calls have to be looked at before they are read. */
  get isActive(): boolean {
    return this.#active > 0;
  }

  /** Calls that were refused unread, by connector. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
  }

  /** How a call is begun whose turn it is. */
  open(begin: (sender: string, call: Turn) => void): void {
    this.#begin = begin;
  }

  turnedAway(gate: Gate): void {
    if (this.#isClosed) return;
    let crowd = this.#crowds.get(gate.connector);
    if (crowd?.gate !== gate) {
      if (crowd !== undefined) this.#end(crowd);
      crowd = newCrowd(gate);
      this.#crowds.set(gate.connector, crowd);
      this.#window ??= setInterval(() => this.#nextWindow(), WINDOW_MS).unref();
    }
    if (crowd.isActive || ++crowd.turnedAway < FULL_REFUSALS) return;
    crowd.isActive = true;
    this.#active++;
  }

  gone(gate: Gate): void {
    const crowd = this.#crowds.get(gate.connector);
    if (crowd?.gate === gate) this.#end(crowd);
  }

  /** Takes care of a call if it is for a connector that turns many away. */
  takes(call: WaitingCall): boolean {
    const target = call.target();
    const crowd = target === undefined ? undefined : this.#crowds.get(target.place);
    if (target === undefined || crowd?.isActive !== true) return false;
    const { sender } = target;
    if (crowd.held.size === 0 && hasRoom(crowd)) {
      this.#admit(crowd, sender, call);
      return true;
    }
    crowd.isBusy = true;
    if (crowd.held.size >= roomBefore(crowd)) {
      const other = crowd.held.makeRoomFor(sender);
      this.#turnAway(crowd, other?.sender ?? sender, other?.call ?? call, 'later');
      if (other === undefined) return true;
    }
    crowd.held.push(sender, { sender, call, until: this.#now() + LONGEST_WAIT_MS });
    if (this.#sweep === undefined) this.#sweepSoon();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#window);
    clearTimeout(this.#sweep);
    this.#late.close();
    for (const { held } of this.#crowds.values()) for (const { call } of held.takeAll()) call.refuse();
    this.#crowds.clear();
    this.#active = 0;
  }

  #admit(crowd: Crowd, sender: string, call: WaitingCall): void {
    crowd.begun++;
    const onDone = (): void => {
      crowd.begun--;
      crowd.answered++;
      this.#fill(crowd);
    };
    this.#begin(sender, {
      bytes: call.bytes,
      run: () => call.run(onDone),
      refuse() {
        onDone();
        call.refuse();
      },
    });
  }

  #fill(crowd: Crowd): void {
    while (crowd.held.size > 0 && hasRoom(crowd)) {
      const next = crowd.held.shift();
      if (next !== undefined) this.#admit(crowd, next.sender, next.call);
    }
  }

  #turnAway(crowd: Crowd, sender: string, call: WaitingCall, when: 'now' | 'later'): void {
    if (crowd.turnedAway < FULL_REFUSALS) {
      crowd.turnedAway++;
      this.#begin(sender, call);
      return;
    }
    const id = crowd.gate.connector;
    const counted = this.#refused.has(id) || this.#refused.size < MOST_COUNTED ? id : REST;
    this.#refused.set(counted, (this.#refused.get(counted) ?? 0) + 1);
    if (when === 'now') call.refuse();
    else this.#late.push(call);
  }

  #sweepSoon(): void {
    this.#sweptAt = this.#now();
    this.#sweep = setTimeout(this.#sweepNow, SWEEP_MS).unref();
  }

  readonly #sweepNow = (): void => {
    this.#sweep = undefined;
    const now = this.#now();
    const tookMs = Math.max(1, now - this.#sweptAt);
    const isOver = ({ until }: Held): boolean => until <= now;
    let isHolding = false;
    for (const crowd of this.#crowds.values()) {
      crowd.answeredPerMs += (crowd.answered / tookMs - crowd.answeredPerMs) * NEWEST;
      crowd.answered = 0;
      this.#fill(crowd);
      for (const { sender, call } of crowd.held.takeHeads(isOver)) {
        // With fewer waiting than others it gets the place of one of them.
        if (crowd.gate.free <= 0 && crowd.gate.admits(sender)) this.#admit(crowd, sender, call);
        else this.#turnAway(crowd, sender, call, 'now');
      }
      isHolding ||= crowd.held.size > 0;
    }
    if (isHolding) this.#sweepSoon();
  };

  #nextWindow(): void {
    for (const crowd of this.#crowds.values()) {
      if (!crowd.isBusy && crowd.held.size === 0) this.#end(crowd);
      crowd.turnedAway = 0;
      crowd.isBusy = crowd.held.size > 0;
    }
    if (this.#crowds.size > 0) return;
    clearInterval(this.#window);
    this.#window = undefined;
  }

  /** Whoever waits is begun: the gate itself will tell. */
  #end(crowd: Crowd): void {
    this.#crowds.delete(crowd.gate.connector);
    if (crowd.isActive) this.#active--;
    crowd.isActive = false;
    for (const { sender, call } of crowd.held.takeAll()) this.#begin(sender, call);
  }
}

function newCrowd(gate: Gate): Crowd {
  const none = { begun: 0, answered: 0, answeredPerMs: 0, turnedAway: 0 };
  return { gate, held: new FairQueue(), isActive: false, isBusy: true, ...none };
}

/** How many may wait there. */
function roomBefore(crowd: Crowd): number {
  return Math.min(MOST_WAITING, Math.max(FEWEST_WAITING, answeredSoon(crowd)));
}

/**
 * Where more are answered soon than may wait at the gate, all who wait do so here, where they cost least: by the time it is the turn
 * of one who was read, the processor's caches have forgotten it. Elsewhere they wait at the gate, which is more patient.
 */
function hasRoom(crowd: Crowd): boolean {
  const { gate, begun } = crowd;
  const most = answeredSoon(crowd) > gate.queue ? gate.concurrency : gate.concurrency + gate.queue;
  return begun < most && gate.free > 0;
}

function answeredSoon({ answeredPerMs }: Crowd): number {
  return answeredPerMs * WAIT_MS;
}

import { setImmediate as turn } from 'node:timers/promises';
import {
  BYTES_PER_PAGE,
  type EventLog,
  type EventRecord,
  type EventStore,
  type HubEvent,
} from '../governance/index.js';
import type { Clock } from '../kernel/index.js';
import { DurationHistogram } from './duration-histogram.js';

interface Counts {
  calls: number;
  /** The upstream or the way to it failed, or the tool said so. */
  failed: number;
  /** Refused by the hub. */
  denied: number;
}

interface Minute extends Counts {
  readonly durations: DurationHistogram;
  readonly connectors: Map<string, Counts>;
  readonly agents: Map<string, Counts>;
}

export interface CallSummary extends Readonly<Counts> {
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
}

export interface CallShare extends Readonly<Counts> {
  readonly id: string;
  /** Calls in each minute, oldest first. */
  readonly perMinute: readonly number[];
}

export interface CallStatistics {
  readonly since: number;
  readonly total: CallSummary;
  readonly minutes: readonly (CallSummary & { readonly at: number })[];
  readonly connectors: readonly CallShare[];
  readonly agents: readonly CallShare[];
}

export interface CallStatisticsBook {
  /** The last hour. The first time it looks into the log for what happened before the start. */
  read(): Promise<CallStatistics>;
  close(): void;
}

export interface CallStatisticsDependencies {
  readonly events: Pick<EventLog, 'subscribe'>;
  readonly eventStore: Pick<EventStore, 'query'>;
  readonly clock: Clock;
}

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Of what happened before the start, so much is looked at. */
const MOST_EARLIER = 10_000;
const PAGE = 500;
/** So many of a kind are told apart in one minute. */
const MOST_NAMES = 1_000;

/** Counts calls as their events are kept. Nothing is read from the store again, however many events it has. */
export function createCallStatistics({
  events,
  eventStore,
  clock,
}: CallStatisticsDependencies): CallStatisticsBook {
  const minutes = new Map<number, Minute>();
  let firstHeard: number | undefined;
  let earlier: Promise<void> | undefined;

  function count({ event, at, actor }: CountedRecord): void {
    const minute = minuteOf(minutes, Math.floor(at / MINUTE_MS));
    add(minute, event);
    if (event.type === 'call.finished') minute.durations.add(event.durationMs);
    if (event.connector !== undefined) add(countsOf(minute.connectors, event.connector), event);
    if (actor.kind === 'agent') add(countsOf(minute.agents, actor.id), event);
  }

  async function countEarlier(): Promise<void> {
    const since = clock.now() - MINUTES * MINUTE_MS;
    const look = (type: CallEvent['type']) => findEarlier(eventStore, type, since);
    // All are there before the first is counted: what fails is done again as a whole.
    for (const record of [...(await look('call.finished')), ...(await look('call.refused'))])
      if (record.sequence < (firstHeard ?? Infinity)) count(record);
  }

  let latest = 0;
  const unsubscribe = events.subscribe((record) => {
    firstHeard ??= record.sequence;
    if (isOfCall(record)) count(record);
    const minute = Math.floor(record.at / MINUTE_MS);
    if (minute !== latest) forgetBefore(minutes, minute - MINUTES);
    latest = minute;
  });

  return {
    async read() {
      earlier ??= countEarlier().catch((error: unknown) => {
        earlier = undefined;
        throw error;
      });
      await earlier;
      return summarise(minutes, Math.floor(clock.now() / MINUTE_MS));
    },
    close: unsubscribe,
  };
}

type Finished = Extract<HubEvent, { readonly type: 'call.finished' }>;
type Refused = Extract<HubEvent, { readonly type: 'call.refused' }>;
type CallEvent = Finished | Refused;

/** What is counted of an event, which may be much longer. */
type CountedEvent =
  | Pick<Finished, 'type' | 'connector' | 'outcome' | 'durationMs'>
  | Pick<Refused, 'type' | 'connector' | 'outcome'>;

interface CountedRecord extends Pick<EventRecord, 'sequence' | 'at' | 'actor'> {
  readonly event: CountedEvent;
}

function isOfCall(record: EventRecord): record is EventRecord & { readonly event: CallEvent } {
  return record.event.type === 'call.finished' || record.event.type === 'call.refused';
}

function toCounted(event: CallEvent): CountedEvent {
  const { connector, outcome } = event;
  if (event.type === 'call.finished')
    return { type: event.type, connector: event.connector, outcome, durationMs: event.durationMs };
  return { type: event.type, outcome, ...(connector !== undefined && { connector }) };
}

/** The newest ones. However much was written down with them, a page of it is in memory at a time. */
async function findEarlier(
  eventStore: CallStatisticsDependencies['eventStore'],
  type: CallEvent['type'],
  since: number,
): Promise<readonly CountedRecord[]> {
  const found: CountedRecord[] = [];
  let place: { readonly before?: number } = {};
  for (;;) {
    const limit = Math.min(PAGE, MOST_EARLIER - found.length);
    const bounds = { limit, maxBytes: BYTES_PER_PAGE };
    const page = await eventStore.query({ type, since, ...place, ...bounds, order: 'newest' });
    for (const { sequence, at, actor, event } of page.filter(isOfCall))
      found.push({ sequence, at, actor, event: toCounted(event) });
    const isLast = page.length < limit && page.isCut !== true;
    if (isLast || found.length >= MOST_EARLIER) return found;
    place = { before: page.at(-1)?.sequence ?? 0 };
    // A store may answer without waiting for anything.
    await turn();
  }
}

function add(counts: Counts, { outcome }: CountedEvent): void {
  counts.calls++;
  if (outcome === 'denied') counts.denied++;
  if (outcome === 'tool_error' || outcome === 'failed' || outcome === 'outcome_unknown') counts.failed++;
}

function minuteOf(minutes: Map<number, Minute>, number: number): Minute {
  const known = minutes.get(number);
  if (known !== undefined) return known;
  const fresh = {
    ...nothing(),
    durations: new DurationHistogram(),
    connectors: new Map(),
    agents: new Map(),
  };
  minutes.set(number, fresh);
  return fresh;
}

const REST = '…';

function countsOf(all: Map<string, Counts>, name: string): Counts {
  const id = all.has(name) || all.size < MOST_NAMES ? name : REST;
  const counts = all.get(id) ?? nothing();
  all.set(id, counts);
  return counts;
}

function nothing(): Counts {
  return { calls: 0, failed: 0, denied: 0 };
}

function forgetBefore(minutes: Map<number, Minute>, oldest: number): void {
  for (const number of minutes.keys()) if (number < oldest) minutes.delete(number);
}

function summarise(minutes: ReadonlyMap<number, Minute>, latest: number): CallStatistics {
  const first = latest - MINUTES + 1;
  const numbers = Array.from({ length: MINUTES }, (_, index) => first + index);
  const durations = new DurationHistogram();
  const total = nothing();
  for (const number of numbers) {
    const minute = minutes.get(number);
    if (minute === undefined) continue;
    sum(total, minute);
    durations.addAll(minute.durations);
  }
  return {
    since: first * MINUTE_MS,
    total: { ...total, ...latencyOf(durations) },
    minutes: numbers.map((number) => {
      const { calls = 0, failed = 0, denied = 0, durations: own } = minutes.get(number) ?? {};
      return { at: number * MINUTE_MS, calls, failed, denied, ...latencyOf(own) };
    }),
    connectors: sharesOf(numbers, (number) => minutes.get(number)?.connectors),
    agents: sharesOf(numbers, (number) => minutes.get(number)?.agents),
  };
}

function sum(into: Counts, { calls, failed, denied }: Counts): void {
  into.calls += calls;
  into.failed += failed;
  into.denied += denied;
}

function latencyOf(durations: DurationHistogram | undefined): Pick<CallSummary, 'p50Ms' | 'p99Ms'> {
  return { p50Ms: durations?.quantile(0.5), p99Ms: durations?.quantile(0.99) };
}

function sharesOf(
  numbers: readonly number[],
  countsAt: (number: number) => ReadonlyMap<string, Counts> | undefined,
): readonly CallShare[] {
  const shares = new Map<string, { readonly total: Counts; readonly perMinute: number[] }>();
  for (const [index, number] of numbers.entries()) {
    for (const [id, counts] of countsAt(number) ?? []) {
      const share = shares.get(id) ?? { total: nothing(), perMinute: numbers.map(() => 0) };
      shares.set(id, share);
      sum(share.total, counts);
      share.perMinute[index] = counts.calls;
    }
  }
  return [...shares]
    .map(([id, { total, perMinute }]) => ({ id, ...total, perMinute }))
    .toSorted((a, b) => b.calls - a.calls || (a.id < b.id ? -1 : 1));
}

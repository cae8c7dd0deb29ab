import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HubError, silentLogger, systemClock, toCallId } from '../kernel/index.js';
import { GENESIS_HASH, verifyChain } from './event-chain.js';
import { openEventLog } from './event-log.js';
import type { Actor, EventQuery, EventRecord, EventStore, HubEvent } from './events.js';

class MemoryEvents implements EventStore {
  fullGroup: number | undefined;
  records: EventRecord[] = [];
  groups: number[] = [];
  failing = false;
  append(records: readonly EventRecord[]): void | Promise<void> {
    if (this.failing) throw new Error('disk full');
    this.groups.push(records.length);
    this.records.push(...records);
  }
  async query({ after = 0, limit }: EventQuery): Promise<readonly EventRecord[]> {
    return this.records.filter(({ sequence }) => sequence > after).slice(0, limit);
  }
  async last(): Promise<EventRecord | undefined> {
    return this.records.at(-1);
  }
  async unfinishedCalls(): Promise<readonly EventRecord[]> {
    return [];
  }
  async trim(): Promise<void> {}
  async anchor() {
    return { sequence: 0, hash: GENESIS_HASH };
  }
  async count(): Promise<number> {
    return this.records.length;
  }
}

const hub: Actor = { kind: 'hub' };
const started: HubEvent = { type: 'hub.started', version: '0' };
const open = (store: MemoryEvents) =>
  openEventLog({ store, clock: systemClock, logger: silentLogger, retryMs: 5, maxWaiting: 50 });

describe('event log', () => {
  test('events of one turn are one group, in order, and chained', async () => {
    const store = new MemoryEvents();
    const log = await open(store);
    await Promise.all(Array.from({ length: 20 }, () => log.intend(hub, started)));
    expect(store.groups).toEqual([20]);
    expect(await verifyChain(store)).toEqual({
      ok: true,
      events: 20,
      first: 1,
      head: store.records.at(-1)?.hash,
    });
    await log.close();
  });

  test('where a group costs little, a full one does not wait for the end of the turn', async () => {
    const store = new MemoryEvents();
    store.fullGroup = 8;
    const log = await open(store);
    let isTurnOver = false;
    setImmediate(() => (isTurnOver = true));
    log.append(hub, started);
    const intents = Array.from({ length: 20 }, () => log.intend(hub, started));
    await Promise.all(intents.slice(0, 16));
    expect(isTurnOver).toBe(false);
    await Promise.all(intents);
    expect(store.groups).toEqual([9, 8, 4]);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 21 });
    await log.close();
  });

  test('B7.6: of a full group that cannot be written each intent is refused, and the log recovers alone', async () => {
    const store = new MemoryEvents();
    store.fullGroup = 8;
    store.failing = true;
    const log = await open(store);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => log.intend(hub, started)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    store.failing = false;
    log.append(hub, started);
    await expect.poll(() => store.records.length, { timeout: 10_000 }).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => log.intend(hub, started)));
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 21 });
    await log.close();
  });

  test('a log that is opened again continues its chain', async () => {
    const store = new MemoryEvents();
    for (let round = 0; round < 3; round++) {
      const log = await open(store);
      log.append(hub, started);
      await log.close();
    }
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 3 });
  });

  test('B5.3: a changed event is found', async () => {
    const store = new MemoryEvents();
    const log = await open(store);
    await Promise.all(Array.from({ length: 5 }, () => log.intend(hub, started)));
    store.records[2] = { ...(store.records[2] as EventRecord), event: { type: 'hub.started', version: '1' } };
    expect(await verifyChain(store)).toEqual({ ok: false, sequence: 3, problem: 'altered' });
    store.records.splice(2, 1);
    expect(await verifyChain(store)).toEqual({ ok: false, sequence: 3, problem: 'missing' });
    await log.close();
  });

  test('B7.6: an intent that cannot be written is refused, an outcome waits, and the log recovers alone', async () => {
    const store = new MemoryEvents();
    const log = await open(store);
    store.failing = true;
    log.append(hub, started);
    await expect(log.intend(hub, started)).rejects.toMatchObject({ code: 'audit_unavailable' });
    expect(log.available).toBe(false);
    store.failing = false;
    await expect.poll(() => store.records.length).toBe(1);
    expect(log.available).toBe(true);
    await log.intend(hub, started);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 2 });
    await log.close();
  });

  test('B7.6: a store that does not answer holds nobody up: intents are refused, and none of them counts when it was kept after all', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const store = new MemoryEvents();
    const log = await open(store);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const keep = store.append.bind(store);
    vi.spyOn(store, 'append').mockImplementation((records) => answered.then(() => keep(records)));
    const first = log.intend(hub, started);
    await new Promise((resolve) => setImmediate(resolve));
    const second = log.intend(hub, started);
    log.append(hub, started);
    const refusals = Promise.allSettled([first, second]);
    vi.advanceTimersByTime(4_900);
    expect(log.available).toBe(true);
    vi.advanceTimersByTime(200);
    expect((await refusals).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(log.available).toBe(false);
    await expect(log.intend(hub, started)).rejects.toMatchObject({ code: 'audit_unavailable' });
    answer();
    await log.flush();
    expect(log.available).toBe(true);
    // The one that was on its way, and what nobody waited for.
    expect(store.groups).toEqual([1, 1]);
    await log.intend(hub, started);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 3 });
    await log.close();
  });

  test('F14: while nothing can be written, refused calls take no more than their room; outcomes always wait', async () => {
    const store = new MemoryEvents();
    const log = await open(store);
    store.failing = true;
    const refused: HubEvent = {
      type: 'call.refused',
      callId: toCallId('c'),
      exposedName: 'a__b',
      method: 'tools/call',
      outcome: 'denied',
      error: 'unknown_tool',
    };
    for (let i = 0; i < 200; i++) log.append(hub, refused);
    log.append(hub, started);
    store.failing = false;
    await expect.poll(() => store.records.length).toBe(51);
    expect(store.records.at(-1)?.event).toEqual(started);
    log.append(hub, refused);
    await log.close();
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 52 });
  });

  test('two logs on one store write one chain, and nothing is refused', async () => {
    const store = new MemoryEvents();
    store.append = function (records) {
      const [first] = records;
      if (first?.previousHash !== (this.records.at(-1)?.hash ?? GENESIS_HASH))
        throw new HubError('conflict', 'continued by another');
      this.records.push(...records);
    };
    const [one, other] = [await open(store), await open(store)];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).intend(hub, started)),
    );
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 40 });
    await one.close();
    await other.close();
  });

  test('more intents than may wait are refused at once', async () => {
    const log = await open(new MemoryEvents());
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => log.intend(hub, started)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await log.close();
  });

  test('listeners hear what is kept', async () => {
    const log = await open(new MemoryEvents());
    const heard: number[] = [];
    const stop = log.subscribe(({ sequence }) => heard.push(sequence));
    await log.intend(hub, started);
    stop();
    await log.intend(hub, started);
    expect(heard).toEqual([1]);
    await log.close();
  });
});

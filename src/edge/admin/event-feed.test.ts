import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventQuery, EventRecord } from '../../governance/index.js';
import { silentLogger } from '../../kernel/index.js';
import { EventFeed, type EventFeedOptions } from './event-feed.js';

/** A log that can be made to grow, and counts how often it is looked into. */
class Log {
  readonly records: EventRecord[] = [];
  queries = 0;
  listeners = new Set<(record: EventRecord) => void>();

  grow(count: number, heard = true): void {
    for (let round = 0; round < count; round++) {
      const sequence = this.records.length + 1;
      const record: EventRecord = {
        sequence,
        at: 0,
        actor: { kind: 'hub' },
        event: { type: 'hub.started', version: 'x' },
        previousHash: '',
        hash: '',
      };
      this.records.push(record);
      if (heard) for (const listener of this.listeners) listener(record);
    }
  }

  subscribe = (listener: (record: EventRecord) => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  last = async () => this.records.at(-1);
  query = async ({ type, after = 0, before = Infinity, limit }: EventQuery) => {
    this.queries++;
    return this.records
      .filter(
        ({ sequence, event }) => sequence > after && sequence < before && event.type === (type ?? event.type),
      )
      .slice(0, limit);
  };
}

const log = { current: new Log() };
let closed = 0;

async function open(limits: Partial<Pick<EventFeedOptions, 'lookMs' | 'filter'>> = {}): Promise<EventFeed> {
  const feed = new EventFeed({
    events: log.current,
    eventStore: log.current,
    filter: {},
    keepAliveMs: 1_000,
    ...limits,
    stallMs: 5_000,
    logger: silentLogger,
    onClose: () => closed++,
  });
  await feed.start(0);
  return feed;
}

beforeEach(() => {
  vi.useFakeTimers();
  log.current = new Log();
  closed = 0;
});
afterEach(() => vi.useRealTimers());

test('whoever looks for something rare gets signs of life also while much else happens', async () => {
  const feed = await open({ filter: { type: 'hub.stopped' } });
  const reader = feed.readable.getReader();
  await reader.read();
  let signs = 0;
  const reading = (async () => {
    while (!(await reader.read()).done) signs++;
  })();
  for (let round = 0; round < 30; round++) {
    log.current.grow(1);
    await vi.advanceTimersByTimeAsync(100);
  }
  feed.close();
  await reading;
  expect(signs).toBeGreaterThanOrEqual(2);
});

test('a client that does not read costs nothing, however much happens', async () => {
  const feed = await open();
  log.current.grow(10_000);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(log.current.queries).toBe(0);
  const reader = feed.readable.getReader();
  await reader.read();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value).match(/^id: /gm)).toHaveLength(100);
  expect(log.current.queries).toBe(1);
  await reader.cancel();
  expect({ closed, listeners: log.current.listeners.size }).toEqual({ closed: 1, listeners: 0 });
});

test('a client that stops reading is let go', async () => {
  const feed = await open();
  log.current.grow(200);
  const reader = feed.readable.getReader();
  await reader.read();
  await reader.read();
  const pending = reader.read();
  await pending;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(closed).toBe(1);
  await expect(reader.read()).rejects.toThrow('does not read');
  expect(vi.getTimerCount()).toBe(0);
});

test('closing twice, and events after it, do nothing', async () => {
  const feed = await open();
  feed.close();
  feed.close();
  log.current.grow(1);
  expect(closed).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('what another process wrote is found without being told of, long before a sign of life is due', async () => {
  const reader = (await open({ lookMs: 100 })).readable.getReader();
  await reader.read();
  const next = reader.read();
  await vi.advanceTimersByTimeAsync(150);
  log.current.grow(1, false);
  await vi.advanceTimersByTimeAsync(100);
  expect(new TextDecoder().decode((await next).value)).toMatch(/^id: 1\n/);
  const sign = reader.read();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(new TextDecoder().decode((await sign).value)).toBe(': keep-alive\n\n');
});

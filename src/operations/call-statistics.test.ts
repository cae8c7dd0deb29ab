import { describe, expect, test } from 'vitest';
import type { EventQuery, EventRecord, HubEvent } from '../governance/index.js';
import { toAgentId, toCallId, toConnectorId } from '../kernel/index.js';
import { createCallStatistics } from './call-statistics.js';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE + 30_000;

function finished(
  sequence: number,
  at: number,
  facts: Partial<Extract<HubEvent, { type: 'call.finished' }>> = {},
  agent = 'ci',
): EventRecord {
  return {
    sequence,
    at,
    actor: { kind: 'agent', id: toAgentId(agent) },
    event: {
      type: 'call.finished',
      callId: toCallId(String(sequence)),
      connector: toConnectorId('db'),
      target: 'query',
      exposedName: 'db__query',
      method: 'tools/call',
      outcome: 'ok',
      durationMs: 10,
      ...facts,
    },
    previousHash: '',
    hash: '',
  };
}

function refused(sequence: number, at: number): EventRecord {
  const { actor, ...others } = finished(sequence, at);
  return {
    ...others,
    actor,
    event: {
      type: 'call.refused',
      callId: toCallId(String(sequence)),
      exposedName: 'x',
      method: 'tools/call',
      outcome: 'denied',
      error: 'unknown_tool',
    },
  };
}

function open(kept: readonly EventRecord[] = [], now = () => NOW) {
  const listeners = new Set<(record: EventRecord) => void>();
  const book = createCallStatistics({
    events: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    eventStore: {
      query: async ({ type, since = 0 }) =>
        kept.filter(({ event, at }) => event.type === type && at >= since),
    },
    clock: { now, monotonic: now },
  });
  return {
    book,
    listeners,
    tell: (record: EventRecord) => {
      for (const listener of listeners) listener(record);
    },
  };
}

describe('statistics of calls', () => {
  test('count calls by minute, connector and agent', async () => {
    const { book, tell } = open();
    tell(finished(1, NOW - MINUTE, { durationMs: 100 }));
    tell(finished(2, NOW, { outcome: 'tool_error' }));
    tell(finished(3, NOW, { connector: toConnectorId('mail'), outcome: 'failed' }, 'support'));
    tell(finished(4, NOW, { outcome: 'invalid' }));
    tell(refused(5, NOW));
    const { total, minutes, connectors, agents } = await book.read();
    expect(total).toMatchObject({ calls: 5, failed: 2, denied: 1 });
    expect(minutes).toHaveLength(60);
    expect(minutes.at(-2)).toMatchObject({ at: 999 * MINUTE, calls: 1 });
    expect(minutes.at(-1)).toMatchObject({ at: 1_000 * MINUTE, calls: 4, failed: 2, denied: 1 });
    expect(connectors).toMatchObject([
      { id: 'db', calls: 3, failed: 1, denied: 0 },
      { id: 'mail', calls: 1, failed: 1 },
    ]);
    expect(connectors[0]?.perMinute.slice(-2)).toEqual([1, 2]);
    expect(agents).toMatchObject([
      { id: 'ci', calls: 4, denied: 1 },
      { id: 'support', calls: 1 },
    ]);
  });

  test('tell latency within a few percent, and none where nothing was called', async () => {
    const { book, tell } = open();
    for (let sequence = 1; sequence <= 1_000; sequence++)
      tell(finished(sequence, NOW, { durationMs: sequence }));
    const { total, minutes } = await book.read();
    expect(total.p50Ms).toBeGreaterThan(460);
    expect(total.p50Ms).toBeLessThan(540);
    expect(total.p99Ms).toBeGreaterThan(920);
    expect(total.p99Ms).toBeLessThan(1_080);
    expect(minutes[0]?.p50Ms).toBeUndefined();
  });

  test('know what the log had before, each event once', async () => {
    const records = [finished(1, NOW - 5 * MINUTE), refused(2, NOW - MINUTE), finished(3, NOW)];
    const { book, tell } = open([finished(0, NOW - 61 * MINUTE), ...records]);
    tell(records[2]!);
    expect((await book.read()).total).toMatchObject({ calls: 3, denied: 1 });
    expect((await book.read()).total.calls).toBe(3);
  });

  test('count each event once also where the log could not be read to the end at first', async () => {
    let failures = 1;
    const book = createCallStatistics({
      events: { subscribe: () => () => {} },
      eventStore: {
        query: async ({ type }) => {
          if (type === 'call.refused' && failures-- > 0) throw new Error('not now');
          return type === 'call.finished' ? [finished(1, NOW)] : [refused(2, NOW)];
        },
      },
      clock: { now: () => NOW, monotonic: () => NOW },
    });
    await expect(book.read()).rejects.toThrow('not now');
    expect((await book.read()).total.calls).toBe(2);
  });

  test('read what the log had before page by page, each of so many bytes, 10,000 at most', async () => {
    const kept = Array.from({ length: 10_020 }, (_, n) => finished(20_000 - n, NOW));
    const asked: EventQuery[] = [];
    const book = createCallStatistics({
      events: { subscribe: () => () => {} },
      eventStore: {
        query: async (query) => {
          asked.push(query);
          const { type, before = Infinity, limit } = query;
          if (type !== 'call.finished') return [];
          const found = kept.filter(({ sequence }) => sequence < before).slice(0, limit);
          // As where each of them is long.
          const page = found.slice(0, asked.length === 2 ? 1 : found.length);
          return Object.assign(page, page.length < found.length && { isCut: true as const });
        },
      },
      clock: { now: () => NOW, monotonic: () => NOW },
    });
    expect((await book.read()).total.calls).toBe(10_000);
    expect(asked.every(({ limit, maxBytes }) => limit <= 500 && maxBytes === 1_048_576)).toBe(true);
  });

  test('forget what is older than an hour, and hear nothing once closed', async () => {
    let now = NOW;
    const { book, tell, listeners } = open([], () => now);
    tell(finished(1, now));
    now += 61 * MINUTE;
    tell(finished(2, now));
    expect((await book.read()).total.calls).toBe(1);
    book.close();
    expect(listeners.size).toBe(0);
  });
});

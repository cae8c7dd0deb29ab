import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectorOf } from '../../test/support/catalog-examples.js';
import type { EventQuery } from '../governance/index.js';
import { silentLogger } from '../kernel/index.js';
import type { UpstreamChange } from '../upstreams/index.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { startSchedule, type Schedule } from './schedule.js';
import { Signal } from './signal.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');

/** What of a hub the schedule looks at. `days`: how long ago each event was written, oldest first. */
function setUp({ days = [] as readonly number[] } = {}) {
  const connector = connectorOf('a', { url: 'http://127.0.0.1:1/mcp' });
  const events = days.map((ago, index) => ({ sequence: index + 1, at: NOW - ago * DAY_MS }));
  const trimmed: number[] = [];
  const checks: (() => void)[] = [];
  const upstreamChanged = new Signal<UpstreamChange>();
  const hub = {
    clock: { now: () => NOW, monotonic: () => performance.now() },
    logger: silentLogger,
    listChanged: new Signal(),
    upstreamChanged,
    connectors: { list: async () => [connector] },
    catalog: { snapshotOf: () => undefined },
    upstreams: { stateOf: () => ({ breaker: 'closed' }) },
    health: {
      healthOf: () => ({ state: 'healthy' }),
      check: () => new Promise((resolve) => checks.push(() => resolve({ state: 'healthy' }))),
    },
    syncConnector: async () => ({}),
    storage: {
      kind: 'sqlite',
      tickets: { sweep: async () => 0 },
      events: {
        last: async () => events.at(-1),
        async query({ since = -Infinity, until = Infinity, order, limit }: EventQuery) {
          const found = events.filter(({ at }) => at >= since && at < until);
          return (order === 'newest' ? found.toReversed() : found).slice(0, limit);
        },
        trim: async (sequence: number) => void trimmed.push(sequence),
      },
    },
  };
  const config = {
    syncIntervalMs: 0,
    health: { intervalMs: 30_000, timeoutMs: 5_000 },
    audit: { maxEvents: 1_000, maxDays: 90 },
  };
  // Nothing else of either is looked at.
  const schedule = startSchedule(hub as unknown as Hub, config as Partial<Config> as Config);
  const pause = (): void =>
    upstreamChanged.emit({ type: 'breaker_opened', connector, failures: 5, reason: 'gone' });
  return { schedule, checks, trimmed, pause };
}

let running: Schedule | undefined;
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => {
  running?.stop();
  vi.useRealTimers();
});

describe('health checks', () => {
  test('a connector that stops answering while it is looked at is looked at no more often afterwards', async () => {
    const { schedule, checks, pause } = setUp();
    running = schedule;
    await schedule.refresh();
    await vi.advanceTimersByTimeAsync(100);
    checks.splice(0).forEach((answer) => answer());
    for (let times = 0; times < 5; times++) {
      await vi.advanceTimersByTimeAsync(34_000);
      pause();
      checks.splice(0).forEach((answer) => answer());
      await vi.advanceTimersByTimeAsync(0);
    }
    let most = 0;
    for (let times = 0; times < 10; times++) {
      await vi.advanceTimersByTimeAsync(26_000);
      most = Math.max(most, checks.length);
      checks.splice(0).forEach((answer) => answer());
    }
    expect(most).toBe(1);
    schedule.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('how long events are kept', () => {
  test.each<readonly [string, readonly number[], readonly number[]]>([
    ['those that are too old go', [120, 100, 80, 1], [2]],
    ['none goes that is not too old', [80, 40, 1], []],
    ['all go where nothing happened for long', [120, 100, 95], [3]],
    ['one that a clock gave a time long ago takes no newer ones with it', [80, 40, 20_000, 1], []],
    ['one that a clock gave a time to come keeps no old ones', [-9_000, 120, 100, 80, 1], [3]],
  ])('%s', async (_what, days, trims) => {
    const { schedule, trimmed } = setUp({ days });
    running = schedule;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(trimmed).toEqual(trims);
  });
});

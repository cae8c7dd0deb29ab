import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { createLoadGuard, type LoadGuard } from './load-guard.js';

const open: LoadGuard[] = [];
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }),
);
afterEach(() => {
  for (const guard of open.splice(0)) guard.close();
  vi.useRealTimers();
});

function setUp(maxCalls = 100) {
  let now = 0;
  let heap = 0.5;
  const warned: string[] = [];
  const begun: string[] = [];
  const refused: string[] = [];
  const logger = { ...silentLogger, warn: (_fields: object, text: string) => void warned.push(text) };
  const guard = createLoadGuard({ maxCalls, logger, now: () => now, heapUse: () => heap });
  open.push(guard);
  return {
    guard,
    warned,
    begin(calls: number, principal = 'p') {
      for (let n = 0; n < calls; n++) guard.begin(principal);
    },
    fillHeap: (use: number) => void (heap = use),
    /** Calls that come in one turn of the event loop, each of which takes so long to begin. */
    ask(calls: number, principal = 'p', tookMs = 1) {
      for (let n = 0; n < calls; n++) {
        if (guard.hasRoom()) begun.push(principal);
        else
          guard.wait(principal, {
            run: () => void begun.push(principal),
            refuse: () => void refused.push(principal),
            target: () => undefined,
            bytes: 100,
          });
        now += tookMs;
      }
    },
    begun,
    refused,
    /** Samples that come this much later than they should. */
    turn(times: number, lateMs = 0) {
      for (let n = 0; n < times; n++) {
        now += 100 + lateMs;
        vi.advanceTimersByTime(100);
      }
    },
  };
}

describe('load', () => {
  test.each([
    [99, false],
    [100, true],
  ])('with %i of 100 calls under way one more is refused: %s', (running, refused) => {
    const { guard, begin } = setUp();
    begin(running);
    expect(guard.hasRoom()).toBe(!refused);
    expect(guard.refuses('tools/call', 'p')).toBe(refused);
    expect(guard.shed).toBe(refused ? 1 : 0);
  });

  test.each(['ping', 'initialize', 'server/discover', 'tools/list'])(
    '%s is served all the same',
    (method) => {
      const { guard, begin } = setUp();
      begin(100);
      expect(guard.refuses(method, 'p')).toBe(false);
    },
  );

  test('a call that ends makes room', () => {
    const { guard, begin } = setUp();
    begin(100);
    guard.end('p');
    expect(guard.refuses('tools/call', 'p')).toBe(false);
  });

  test('an agent with many under way leaves room for those with few, and that has an end', () => {
    const { guard, begin } = setUp();
    begin(100, 'greedy');
    expect([guard.refuses('tools/call', 'greedy'), guard.refuses('tools/call', 'modest')]).toEqual([
      true,
      false,
    ]);
    begin(24, 'modest');
    expect(guard.refuses('tools/call', 'modest')).toBe(false);
    begin(1, 'another');
    expect(guard.refuses('tools/call', 'modest')).toBe(true);
    for (let n = 0; n < 30; n++) guard.end('greedy');
    expect(guard.refuses('tools/call', 'greedy')).toBe(false);
  });

  test('what one turn has no time for waits, and takes turns by principal', async () => {
    const { guard, ask, begun, refused } = setUp(2_000);
    // Eight are begun without a look at the clock, then three until four milliseconds have passed.
    ask(20, 'greedy');
    expect([begun.length, guard.waiting]).toEqual([11, 9]);
    ask(2, 'modest');
    expect(guard.waiting).toBe(11);
    await vi.waitFor(() => expect(guard.waiting).toBe(0));
    expect(begun.slice(11, 15)).toEqual(['greedy', 'modest', 'greedy', 'modest']);
    expect([begun.length, refused.length]).toEqual([22, 0]);
    ask(1, 'greedy');
    expect(begun).toHaveLength(23);
  });

  test('a burst may wait; where somebody waits all the time only few may, and the longest line makes room', async () => {
    const { guard, ask, begin, turn, refused } = setUp(2_000);
    begin(256, 'slow');
    ask(40, 'greedy', 0);
    expect(guard.waiting).toBe(0);
    ask(40, 'greedy', 1);
    const burst = guard.waiting;
    expect(burst).toBeGreaterThan(32);
    turn(6);
    expect(guard.room).toBe(32);
    ask(1, 'greedy');
    expect([guard.waiting, guard.shed]).toEqual([burst, 1]);
    ask(1, 'modest');
    expect([guard.waiting, guard.shed]).toEqual([burst, 2]);
    await vi.waitFor(() => expect(guard.waiting).toBe(0));
    expect(guard.shed).toBe(2);
    turn(6);
    expect(guard.room).toBe(2_000);
    expect(refused).toEqual(['greedy', 'greedy']);
  });

  test('a process that is not busy with others has room for 256 however long they wait', () => {
    const { guard, ask, turn } = setUp(2_000);
    ask(40);
    turn(8);
    expect(guard.room).toBe(256);
  });

  test('who waits when it ends is told so', () => {
    const { guard, ask, refused } = setUp();
    ask(20);
    guard.close();
    guard.close();
    expect(refused).toHaveLength(9);
  });

  test('F35: with a full heap nothing but signs of life is served, until there is room again', () => {
    const { guard, fillHeap, turn } = setUp();
    fillHeap(0.95);
    turn(10);
    expect(['tools/call', 'tools/list', 'ping'].map((method) => guard.refuses(method, 'p'))).toEqual([
      true,
      true,
      false,
    ]);
    fillHeap(0.6);
    turn(10);
    expect(guard.refuses('tools/call', 'p')).toBe(false);
  });

  test.each([
    [2_000, true, 1],
    [5_000, false, 1],
    [200, true, 0],
  ])('F36: an event loop that stood still for %i ms leaves it ready: %s', (ms, responsive, warnings) => {
    const { guard, warned, turn } = setUp();
    turn(1, ms);
    expect(guard.isResponsive).toBe(responsive);
    expect(warned).toHaveLength(warnings);
    turn(1);
    expect(guard.isResponsive).toBe(true);
  });
});

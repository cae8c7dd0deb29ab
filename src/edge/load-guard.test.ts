import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { createLoadGuard, type LoadGuard } from './load-guard.js';

const open: LoadGuard[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => {
  for (const guard of open.splice(0)) guard.close();
  vi.useRealTimers();
});

function setUp(maxCalls = 100) {
  let now = 0;
  let heap = 0.5;
  const warned: string[] = [];
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

  test('while the event loop is late fewer are taken, and more again when it is not', () => {
    const { guard, begin, turn } = setUp(2_000);
    begin(1_000);
    turn(2, 101);
    turn(1, 100);
    turn(2, 101);
    expect(guard.ceiling).toBe(2_000);
    turn(1, 101);
    expect(guard.ceiling).toBe(750);
    expect(guard.refuses('tools/call', 'p')).toBe(true);
    turn(20, 500);
    expect(guard.ceiling).toBe(256);
    turn(1, 100);
    expect(guard.ceiling).toBe(269);
    turn(100);
    expect(guard.ceiling).toBe(2_000);
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

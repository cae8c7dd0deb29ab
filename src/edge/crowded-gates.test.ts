import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toConnectorId } from '../kernel/index.js';
import type { Gate } from '../upstreams/index.js';
import { CrowdedGates, type Turn } from './crowded-gates.js';

const open: CrowdedGates[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const crowded of open.splice(0)) crowded.close();
  vi.useRealTimers();
});

/** A gate for one and another who waits, with nobody at it; calls that are begun run at once and stay until they are told to end. */
function setUp() {
  let now = 0;
  const gate = {
    connector: toConnectorId('full'),
    free: 2,
    concurrency: 1,
    queue: 1,
    admits: (_sender?: string): boolean => false,
  };
  const said: string[] = [];
  const running: (() => void)[] = [];
  const crowded = new CrowdedGates(() => now);
  crowded.open((_sender: string, call: Turn) => call.run());
  open.push(crowded);
  return {
    crowded,
    gate,
    said,
    running,
    finish() {
      const next = running.shift();
      next?.();
      return next;
    },
    turnAway(times: number, at: Gate = gate) {
      for (let n = 0; n < times; n++) crowded.turnedAway(at);
    },
    /** Whether somebody takes care of them. */
    ask(calls: number, sender = 'greedy', place: string | undefined = 'full'): boolean[] {
      return Array.from({ length: calls }, () =>
        crowded.takes({
          run(onDone) {
            said.push(`${sender} begins`);
            if (onDone !== undefined) running.push(onDone);
          },
          refuse: () => void said.push(`${sender} refused`),
          bytes: 100,
          target: () => (place === 'unknown' ? undefined : { place, sender }),
        }),
      );
    },
    pass(ms: number) {
      for (let n = 0; n < ms; n++) {
        now++;
        vi.advanceTimersByTime(1);
      }
    },
  };
}

describe('calls for a connector that turns many away', () => {
  test('a few that are turned away change nothing', () => {
    const { crowded, turnAway, ask, pass } = setUp();
    turnAway(31);
    expect([crowded.isActive, ...ask(1)]).toEqual([false, false]);
    pass(1_000);
    turnAway(31);
    expect(crowded.isActive).toBe(false);
  });

  test('as many are begun as there is room for, the next whenever one is over; the rest is refused after a moment', () => {
    const { crowded, turnAway, ask, said, finish, pass } = setUp();
    turnAway(32);
    expect(crowded.isActive).toBe(true);
    expect(ask(5)).toEqual([true, true, true, true, true]);
    expect(said.splice(0)).toEqual(['greedy begins', 'greedy begins']);
    finish();
    expect(said.splice(0)).toEqual(['greedy begins']);
    pass(149);
    expect(said).toEqual([]);
    pass(12);
    expect(said).toEqual(['greedy refused', 'greedy refused']);
    expect([...crowded.refused]).toEqual([['full', 2]]);
  });

  test('where many are answered soon, only as many are read as come in at once', () => {
    const { turnAway, ask, running, finish, pass } = setUp();
    turnAway(32);
    ask(3);
    expect(running).toHaveLength(2);
    for (let n = 0; n < 40; n++) {
      finish();
      ask(1);
      pass(1);
    }
    expect(running).toHaveLength(1);
  });

  test('others are not concerned, nor is what cannot be told', () => {
    const { turnAway, ask } = setUp();
    turnAway(32);
    expect([...ask(1, 'a', 'other'), ...ask(1, 'a', 'unknown')]).toEqual([false, false]);
  });

  test('lines take turns, and who has fewer waiting gets the place of another', () => {
    const { gate, turnAway, ask, said, finish, pass } = setUp();
    turnAway(32);
    ask(5, 'greedy');
    ask(1, 'modest');
    finish();
    finish();
    expect(said.splice(0)).toEqual(['greedy begins', 'greedy begins', 'greedy begins', 'modest begins']);
    ask(1, 'another');
    gate.free = 0;
    gate.admits = (sender) => sender === 'another';
    pass(165);
    expect(said).toEqual(['greedy refused', 'greedy refused', 'another begins']);
  });

  test('the longest line makes room when too many are held', () => {
    const { turnAway, ask, said, pass } = setUp();
    turnAway(32);
    ask(2 + 8, 'greedy');
    said.length = 0;
    ask(1, 'greedy');
    ask(1, 'modest');
    expect(said).toEqual([]);
    pass(26);
    expect(said).toEqual(['greedy refused', 'greedy refused']);
  });

  test('as many wait as are answered in 75 ms; the rest is refused soon', () => {
    const { crowded, turnAway, ask, said, finish, pass } = setUp();
    turnAway(32);
    ask(4);
    for (let ms = 0; ms < 500; ms++) {
      ask(1);
      finish();
      pass(1);
    }
    const before = crowded.refused.get('full') ?? 0;
    ask(300);
    said.length = 0;
    pass(80);
    const waiting = 300 + 4 - ((crowded.refused.get('full') ?? 0) - before);
    expect(waiting).toBeGreaterThan(65);
    expect(waiting).toBeLessThan(85);
    expect(said.length).toBeGreaterThan(200);
  });

  test('in each second some are refused by the gate itself, which records it', () => {
    const { crowded, gate, turnAway, ask, said, pass } = setUp();
    turnAway(32);
    gate.free = 0;
    ask(1);
    pass(1_010);
    said.length = 0;
    ask(8 + 40);
    pass(26);
    expect(said.filter((what) => what === 'greedy begins')).toHaveLength(32);
    expect(said.filter((what) => what === 'greedy refused')).toHaveLength(8);
    expect(crowded.refused.get('full')).toBe(9);
  });

  test('it is over after a second in which nobody had to wait', () => {
    const { crowded, turnAway, ask, pass } = setUp();
    turnAway(32);
    ask(3);
    pass(1_100);
    expect(crowded.isActive).toBe(true);
    pass(1_000);
    expect([crowded.isActive, ...ask(1)]).toEqual([false, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('whoever waits at a gate that is replaced goes to the new one; at the end all are told', () => {
    const { crowded, gate, turnAway, ask, said } = setUp();
    turnAway(32);
    ask(3);
    crowded.gone({ ...gate });
    expect(said.splice(0)).toHaveLength(2);
    crowded.gone(gate);
    expect([said.splice(0), crowded.isActive]).toEqual([['greedy begins'], false]);
    turnAway(32);
    ask(3);
    said.length = 0;
    crowded.close();
    crowded.close();
    expect([said, crowded.isActive]).toEqual([['greedy refused'], false]);
  });
});

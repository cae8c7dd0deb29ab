import { describe, expect, test } from 'vitest';
import { HubError } from '../kernel/index.js';
import { Turnstile, type TurnstileLimits } from './turnstile.js';

const NONE = { principal: 'a' };
const turnstile = (limits: Partial<TurnstileLimits> = {}) =>
  new Turnstile('c', { concurrency: 1, queue: 2, waitMs: 5_000, ...limits });

describe('turnstile', () => {
  test('lets in at once while there is room', () => {
    const gate = turnstile({ concurrency: 2 });
    expect([gate.enter(NONE), gate.enter(NONE)]).toEqual([undefined, undefined]);
    const waiting = gate.enter(NONE);
    expect(waiting).toBeInstanceOf(Promise);
    waiting?.catch(() => {});
  });

  test('those who wait come in the order they came', async () => {
    const gate = turnstile();
    void gate.enter(NONE);
    const order: number[] = [];
    const waits = [1, 2].map(async (n) => {
      await gate.enter(NONE);
      order.push(n);
    });
    gate.leave();
    gate.leave();
    await Promise.all(waits);
    expect(order).toEqual([1, 2]);
  });

  test('one more than may wait is turned away at once, and told when to come back', () => {
    const gate = turnstile();
    void gate.enter(NONE);
    for (const _ of [1, 2]) {
      expect(() => gate.requireRoom(NONE.principal)).not.toThrow();
      // Its time is over when nobody looks any more.
      gate.enter(NONE)?.catch(() => {});
    }
    const busy = expect.objectContaining({ code: 'overloaded', retryAfterMs: 1_000 }) as Error;
    expect(() => gate.requireRoom(NONE.principal)).toThrow(busy);
    expect(() => gate.enter(NONE)).toThrow(busy);
    // Whoever waits for nothing yet would get the place of another.
    expect(() => gate.requireRoom('somebody else')).not.toThrow();
  });

  test('says how many could come, who would be let in, and when somebody is turned away', () => {
    let turnedAway = 0;
    const gate = new Turnstile('c', { concurrency: 1, queue: 2, waitMs: 5_000 }, () => turnedAway++);
    const seen = [gate.free];
    for (const _ of [1, 2, 3]) {
      gate.enter(NONE)?.catch(() => {});
      seen.push(gate.free);
    }
    expect(seen).toEqual([3, 2, 1, 0]);
    expect([gate.admits('a'), gate.admits('b'), turnedAway]).toEqual([false, true, 0]);
    expect(() => gate.requireRoom('a')).toThrow('busy');
    gate.enter({ principal: 'b' })?.catch(() => {});
    expect([gate.free, turnedAway]).toEqual([0, 2]);
    gate.leave();
    expect([gate.free, gate.admits('a')]).toEqual([1, true]);
  });

  test('a turn that was given back can be taken again', async () => {
    const gate = turnstile();
    void gate.enter(NONE);
    const waiting = gate.enter(NONE);
    gate.leave();
    await waiting;
    gate.leave();
    expect(gate.enter(NONE)).toBeUndefined();
  });

  test('whoever gives up says so by a signal or by itself, and leaves the queue', async () => {
    const gate = turnstile({ queue: 1 });
    void gate.enter(NONE);
    for (const giveUp of [true, false]) {
      let leave = (): void => {};
      const waiting = gate.enter({
        principal: 'a',
        get signal(): AbortSignal {
          throw new Error('making one costs something');
        },
        onAbort: (listener) => (giveUp ? listener() : (leave = listener)),
      });
      expect(gate.waiting).toBe(giveUp ? 0 : 1);
      leave();
      leave();
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
      expect(gate.waiting).toBe(0);
    }
  });

  test('whoever gives up leaves the queue', async () => {
    const gate = turnstile({ queue: 1 });
    void gate.enter(NONE);
    const controller = new AbortController();
    const waiting = gate.enter({ principal: 'a', signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    const next = gate.enter(NONE);
    gate.leave();
    await next;
    gate.leave();
    expect(gate.enter(NONE)).toBeUndefined();
  });

  test('a signal that was aborted before does not wait', async () => {
    const gate = turnstile();
    void gate.enter(NONE);
    await expect(gate.enter({ principal: 'a', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('nobody waits for ever', async () => {
    const gate = turnstile({ waitMs: 20 });
    void gate.enter(NONE);
    await expect(gate.enter(NONE)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('the signal is not asked for unless somebody waits', () => {
    let asked = 0;
    const gate = turnstile();
    void gate.enter({
      principal: 'a',
      get signal() {
        asked++;
        return undefined;
      },
    });
    expect(asked).toBe(0);
  });
});

describe('fairness', () => {
  /** Those who wait, by name, in the order in which their turns come. */
  function crowd(limits: Partial<TurnstileLimits>) {
    const gate = turnstile(limits);
    const order: string[] = [];
    const refused: string[] = [];
    void gate.enter(NONE);
    const come = (principal: string): void => {
      try {
        gate.enter({ principal })?.then(
          () => order.push(principal),
          () => refused.push(principal),
        );
      } catch {
        refused.push(principal);
      }
    };
    const leave = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) {
        gate.leave();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { gate, come, leave, order, refused };
  }

  test('lines take turns, however long one is', async () => {
    const { come, leave, order } = crowd({ queue: 20 });
    for (const principal of 'aaaaaabbc') come(principal);
    await leave(9);
    expect(order.join('')).toBe('abcabaaaa');
  });

  test('a full queue makes room for a shorter line, at the expense of the longest', async () => {
    const { come, leave, order, refused } = crowd({ queue: 4 });
    for (const principal of 'aaaab') come(principal);
    await leave(4);
    expect(refused).toEqual(['a']);
    expect(order.join('')).toBe('abaa');
  });

  test('lines of the same length do not displace each other', async () => {
    const { gate, come, leave, refused } = crowd({ queue: 4 });
    for (const principal of 'aabbabc') come(principal);
    await leave(0);
    await new Promise((resolve) => setImmediate(resolve));
    // The last one has no line at all, so one of two makes room for it.
    expect(refused.toSorted()).toEqual(['a', 'a', 'b']);
    expect(gate.waiting).toBe(4);
  });

  test('all who wait can be sent away', async () => {
    const { gate, come, refused } = crowd({ queue: 4 });
    for (const principal of 'aab') come(principal);
    gate.refuseWaiting(() => new HubError('upstream_unavailable', 'gone'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(refused).toHaveLength(3);
    expect([gate.waiting, gate.inside]).toEqual([0, 1]);
  });
});

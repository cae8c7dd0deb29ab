import { describe, expect, test } from 'vitest';
import { Turnstile, type TurnstileLimits } from './turnstile.js';

const NONE = (): undefined => undefined;
const turnstile = (limits: Partial<TurnstileLimits> = {}) =>
  new Turnstile('c', { concurrency: 1, queue: 2, waitMs: 5_000, ...limits });

describe('turnstile', () => {
  test('lets in at once while there is room', () => {
    const gate = turnstile({ concurrency: 2 });
    expect([gate.enter(NONE), gate.enter(NONE)]).toEqual([undefined, undefined]);
    expect(gate.enter(NONE)).toBeInstanceOf(Promise);
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
    for (const _ of [1, 2]) void gate.enter(NONE);
    expect(() => gate.enter(NONE)).toThrow(
      expect.objectContaining({ code: 'overloaded', retryAfterMs: 1_000 }) as Error,
    );
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

  test('whoever gives up leaves the queue', async () => {
    const gate = turnstile({ queue: 1 });
    void gate.enter(NONE);
    const controller = new AbortController();
    const waiting = gate.enter(() => controller.signal);
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
    await expect(gate.enter(() => AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('nobody waits for ever', async () => {
    const gate = turnstile({ waitMs: 20 });
    void gate.enter(NONE);
    await expect(gate.enter(NONE)).rejects.toMatchObject({ code: 'overloaded' });
  });

  test('the signal is not asked for unless somebody waits', () => {
    let asked = 0;
    const gate = turnstile();
    void gate.enter(() => {
      asked++;
      return undefined;
    });
    expect(asked).toBe(0);
  });
});

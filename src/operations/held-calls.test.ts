import { afterEach, expect, test, vi } from 'vitest';
import { toAgentId, type HubError } from '../kernel/index.js';
import { HeldCalls, type HeldCall } from './held-calls.js';

const ADA = toAgentId('ada');
const BOB = toAgentId('bob');

afterEach(() => vi.useRealTimers());

function call(owner = ADA, ended: string[] = []): HeldCall & { readonly ended: string[] } {
  return { owner, ended, end: async (reason: HubError) => void ended.push(reason.code) };
}

test('is found once, and only by the one it belongs to', () => {
  const held = new HeldCalls();
  const mine = call();
  const id = held.hold(mine);
  expect(held.take(id, BOB)).toBeUndefined();
  expect(held.take('another', ADA)).toBeUndefined();
  expect(held.take(id, ADA)).toBe(mine);
  expect(held.take(id, ADA)).toBeUndefined();
  expect(held.size).toBe(0);
});

test('no owner has more than its share, and all together no more than there is room for', () => {
  const held = new HeldCalls({ perOwner: 2, total: 3 });
  const first = held.hold(call());
  held.hold(call());
  expect(() => held.hold(call())).toThrow(expect.objectContaining({ code: 'overloaded' }));
  held.hold(call(BOB));
  expect(() => held.hold(call(BOB))).toThrow(expect.objectContaining({ code: 'overloaded' }));
  held.take(first, ADA);
  held.hold(call());
  expect(held.size).toBe(3);
});

test('nobody comes back: it is ended, once', () => {
  vi.useFakeTimers();
  const held = new HeldCalls({ lifetimeMs: 1_000 });
  const lost = call();
  const taken = call();
  held.hold(lost);
  held.take(held.hold(taken), ADA);
  vi.advanceTimersByTime(999);
  expect(lost.ended).toEqual([]);
  vi.advanceTimersByTime(5_000);
  expect([lost.ended, taken.ended, held.size]).toEqual([['cancelled'], [], 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('closing ends what is held, waits for it, and holds nothing more', async () => {
  const held = new HeldCalls();
  let over = false;
  held.hold({
    owner: ADA,
    end: async () => {
      await Promise.resolve();
      over = true;
    },
  });
  await held.close();
  expect(over).toBe(true);
  await held.close();
  expect(() => held.hold(call())).toThrow(expect.objectContaining({ code: 'shutting_down' }));
});

import { expect, onTestFinished, test } from 'vitest';
import { createMemoryCoordination, createSwitchboard } from '../../src/coordination/index.js';
import { SharedSessionStore } from '../../src/edge/shared-sessions/shared-session-store.js';
import type { SessionRecord } from '../../src/mcp/server/index.js';

const PLAIN = { seal: (text: string) => text, open: (text: string) => text };

function session(id: string, principal = 'anna'): SessionRecord {
  const client = { info: undefined, capabilities: {} };
  const facts = { revision: '2025-11-25', createdAt: 0, initialized: true, logLevel: undefined } as const;
  return { id, principal, client, ...facts };
}

test('the one that its principal has not used for longest makes room, unless all were used lately', async () => {
  let now = 1_000_000;
  const clock = { now: () => now, monotonic: () => now };
  const coordination = createMemoryCoordination(clock);
  const { store, feed } = coordination;
  onTestFinished(() => coordination.close());
  const openStore = (self: string): SharedSessionStore => {
    const board = createSwitchboard({ self, feed }, PLAIN);
    const opened = new SharedSessionStore({ store, board, endpoint: 'all', clock, perPrincipal: 3 });
    onTestFinished(() => {
      opened.close();
      board.close();
    });
    return opened;
  };
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const expired: unknown[] = [];
  two.onExpired((...told) => expired.push(told));
  for (const id of ['a', 'b', 'c']) expect(await one.add(session(id))).toBe(true);
  expect(await one.add(session('other', 'eve'))).toBe(true);
  expect(await two.find('anna', 'b')).toBeDefined();
  now += 61_000;
  expect(await one.find('anna', 'a')).toBeDefined();
  expect(await two.add(session('d'))).toBe(false);
  now += 120_000;
  expect(await one.find('anna', 'c')).toBeDefined();
  expect(await two.add(session('d'))).toBe(true);
  expect(expired).toEqual([['anna', 'b', 'deleted']]);
  for (const [id, isKnown] of [
    ['a', true],
    ['b', false],
    ['c', true],
    ['d', true],
  ] as const)
    for (const place of [one, two]) expect((await place.find('anna', id)) !== undefined, id).toBe(isKnown);
  expect(await two.find('eve', 'other')).toBeDefined();
  expect(await one.add(session('e'))).toBe(false);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryCoordination, createSwitchboard } from '../../src/coordination/index.js';
import { SharedSessionStore } from '../../src/edge/shared-sessions/shared-session-store.js';
import type { Coordination } from '../../src/kernel/index.js';
import type { SessionRecord } from '../../src/mcp/server/index.js';

/** What replicas remember of sessions, over one memory and a clock of the test's own. */

const PLAIN = { seal: (text: string) => text, open: (text: string) => text };
const IDLE_MS = 30 * 60_000;
let now = 1_000_000;
const clock = { now: () => now, monotonic: () => now };
let coordination: Coordination;
const open: { close(): void }[] = [];

beforeEach(() => {
  coordination = createMemoryCoordination(clock);
});
afterEach(async () => {
  for (const each of open.splice(0)) each.close();
  await coordination.close();
});

/** Names of their own make them two processes on one feed. */
function openStore(self: string, bounds: object = {}): SharedSessionStore {
  const { feed } = coordination;
  const board = createSwitchboard({ self, feed }, PLAIN);
  const store = new SharedSessionStore({
    store: coordination.store,
    board,
    endpoint: 'all',
    clock,
    ...bounds,
  });
  open.push(store, board);
  return store;
}

function session(id: string, principal = 'anna', more: Partial<SessionRecord> = {}): SessionRecord {
  const client = { info: undefined, capabilities: {} };
  const createdAt = now;
  return {
    id,
    principal,
    revision: '2025-11-25',
    client,
    createdAt,
    initialized: true,
    logLevel: undefined,
    ...more,
  };
}

test('what one added the other finds, for its principal only, and then without asking', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  expect(await one.add(session('s'))).toBe(true);
  expect(await two.find('eve', 's')).toBeUndefined();
  expect(await two.find('anna', 's')).toMatchObject({ id: 's', principal: 'anna', initialized: true });
  expect(two.find('anna', 's')).not.toBeInstanceOf(Promise);
  now += 61_000;
  expect(two.find('anna', 's')).toBeInstanceOf(Promise);
});

test('before the handshake is complete nobody relies on what it remembers', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const record = session('s', 'anna', { initialized: false });
  await one.add(record);
  await two.find('anna', 's');
  await two.update({ ...record, initialized: true }, { initialized: true });
  expect(await one.find('anna', 's')).toMatchObject({ initialized: true });
});

test('changes of two replicas are both kept, and both are told', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const record = session('s');
  await one.add(record);
  await two.find('anna', 's');
  const heard: SessionRecord[] = [];
  two.onChanged((changed) => heard.push(changed));
  await one.update({ ...record, home: 'x' }, { home: 'x' });
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ home: 'x' }));
  await two.update({ ...record, logLevel: 'info' }, { logLevel: 'info' });
  expect(heard.at(-1)).toMatchObject({ home: 'x', logLevel: 'info' });
});

test('one that ended is not brought back by a replica that remembers it', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  await two.find('anna', 's');
  const ended: unknown[] = [];
  two.onExpired((principal, id, reason) => ended.push([principal, id, reason]));
  await one.remove('anna', 's');
  await vi.waitFor(() => expect(ended).toEqual([['anna', 's', 'deleted']]));
  expect(await two.find('anna', 's')).toBeUndefined();
  await two.update(session('s'), { logLevel: 'info' });
  expect(await one.find('anna', 's')).toBeUndefined();
});

test('a store that lost everything is given back what is remembered', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  const forget = vi.spyOn(coordination.store, 'get').mockResolvedValueOnce(undefined);
  now += 61_000;
  const lost = await one.find('anna', 's');
  expect(lost).toMatchObject({ id: 's' });
  forget.mockRestore();
  expect(await two.find('anna', 's')).toMatchObject({ id: 's' });
});

test('B1.9: there are as many as a principal may have, at all replicas together', async () => {
  const [one, two] = [
    openStore('aaaaaaaaaaaa', { perPrincipal: 2 }),
    openStore('bbbbbbbbbbbb', { perPrincipal: 2 }),
  ];
  expect(await one.add(session('a'))).toBe(true);
  expect(await two.add(session('b'))).toBe(true);
  expect(await one.add(session('c'))).toBe(false);
  expect(await two.add(session('d', 'bert'))).toBe(true);
  await one.remove('anna', 'b');
  expect(await two.add(session('c'))).toBe(true);
});

test('one that nobody uses ends after half an hour, any after a day', async () => {
  const one = openStore('aaaaaaaaaaaa');
  await one.add(session('idle'));
  await one.add(session('busy'));
  for (let passed = 0; passed < IDLE_MS + 180_000; passed += 61_000) {
    now += 61_000;
    expect(await one.find('anna', 'busy')).toBeDefined();
  }
  expect(await one.find('anna', 'idle')).toBeUndefined();
  await one.add(session('old', 'anna', { createdAt: now - 24 * 3_600_000 - 1 }));
  now += 61_000;
  expect(await one.find('anna', 'old')).toBeUndefined();
});

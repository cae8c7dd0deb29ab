import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemorySessionStore } from './memory-session-store.js';
import type { SessionRecord } from './session-store.js';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

function record(principal: string, id: string): SessionRecord {
  return {
    id,
    principal,
    revision: '2025-11-25',
    client: { info: undefined, capabilities: {} },
    createdAt: Date.now(),
    initialized: false,
    logLevel: undefined,
  };
}

test('a session is found by its principal only', () => {
  const store = new MemorySessionStore();
  const alice = record('alice', 'x');
  store.add(alice);
  store.add(record('bob', 'y'));
  expect(store.find('alice', 'x')).toBe(alice);
  expect([
    store.find('bob', 'x'),
    store.find('alice', 'y'),
    store.find('__proto__', 'x'),
    store.find('alice', '__proto__'),
  ]).toEqual(Array.from({ length: 4 }));
  store.remove('bob', 'x');
  expect(store.size).toBe(2);
});

test('changes are kept, but not for sessions that are gone', () => {
  const store = new MemorySessionStore();
  store.add(record('p', 'x'));
  store.update({ ...record('p', 'x'), logLevel: 'error' });
  expect(store.find('p', 'x')?.logLevel).toBe('error');
  store.remove('p', 'x');
  store.update(record('p', 'x'));
  expect([store.find('p', 'x'), store.size]).toEqual([undefined, 0]);
});

test.each([
  ['of one principal', { perPrincipal: 3 }, ['p', 'p', 'p', 'p']],
  ['of all', { total: 3 }, ['p', 'q', 'r', 's']],
])('limit %s: one more than that does not fit', (_name, options, principals) => {
  const store = new MemorySessionStore(options);
  expect(principals.map((principal, n) => store.add(record(principal, String(n))))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  store.remove('p', '0');
  expect(store.add(record('p', 'again'))).toBe(true);
});

test('expired sessions make room at once', () => {
  const store = new MemorySessionStore({ perPrincipal: 1, idleMs: 100, sweepMs: 10_000 });
  expect(store.add(record('p', 'x'))).toBe(true);
  vi.advanceTimersByTime(100);
  expect(store.add(record('p', 'y'))).toBe(true);
});

test('a principal that never ends its sessions gives up the one it has not used for longest', () => {
  const store = new MemorySessionStore({ perPrincipal: 3 });
  const ended: string[] = [];
  store.onExpired((principal, id) => ended.push(`${principal}/${id}`));
  for (const id of ['first', 'second', 'third']) {
    store.add(record('p', id));
    vi.advanceTimersByTime(1);
  }
  store.add(record('q', 'older'));
  store.find('p', 'first');
  expect(store.add(record('p', 'too soon'))).toBe(false);
  vi.advanceTimersByTime(119_999);
  expect(store.add(record('p', 'fourth'))).toBe(true);
  expect([ended, store.size]).toEqual([['p/second'], 4]);
  expect(store.find('p', 'second')).toBeUndefined();
  expect(store.find('p', 'first')).toBeDefined();
});

test('nobody gives up a session because others have too many', () => {
  const store = new MemorySessionStore({ perPrincipal: 3, total: 2 });
  store.add(record('p', 'x'));
  store.add(record('q', 'y'));
  vi.advanceTimersByTime(1_000_000);
  expect(store.add(record('p', 'z'))).toBe(false);
  expect([store.find('p', 'x'), store.find('q', 'y')]).toEqual([expect.anything(), expect.anything()]);
});

test('the sweep tells of expired sessions, and stops when none is left', () => {
  const store = new MemorySessionStore({ idleMs: 100, absoluteMs: 300, sweepMs: 50 });
  const ended: string[] = [];
  store.onExpired((principal, id) => ended.push(`${principal}/${id}`));
  store.add(record('p', 'idle'));
  store.add(record('p', 'used'));
  for (let i = 0; i < 4; i++) {
    vi.advanceTimersByTime(60);
    store.find('p', 'used');
  }
  expect(ended).toEqual(['p/idle']);
  vi.advanceTimersByTime(100);
  expect(ended).toEqual(['p/idle', 'p/used']);
  expect([store.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('close stops everything', () => {
  const store = new MemorySessionStore();
  store.add(record('p', 'x'));
  store.close();
  store.close();
  expect([store.size, vi.getTimerCount()]).toEqual([0, 0]);
});

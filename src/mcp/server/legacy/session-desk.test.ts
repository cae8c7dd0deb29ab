import { describe, expect, test } from 'vitest';
import { Gate, Harness, initialize, request } from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { MemorySessionStore } from './memory-session-store.js';

describe('S82 S68: the end of a session', () => {
  test('S68: DELETE, then 404', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const answer = await session.delete();
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await session.request('ping')).status).toBe(404);
    expect((await session.delete()).status).toBe(404);
    expect(harness.events).toContainEqual({ type: 'session_ended', reason: 'deleted' });
  });

  test('streams end and running calls are stopped', async () => {
    let aborted = false;
    const harness = new Harness({
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
        });
        await new Gate().passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const standing = await session.get();
    await standing.next();
    const running = session.request('tools/call', { name: 'echo' });
    await session.request('ping');
    await session.delete();
    expect(await standing.next()).toBeUndefined();
    expect((await running).body.error).toEqual({ code: -32603, message: 'The session ended' });
    expect(aborted).toBe(true);
  });

  test('B1.9: idle and old sessions expire, used ones do not', async () => {
    let now = 0;
    const clock = (): number => now;
    const harness = new Harness({
      clock,
      sessions: new MemorySessionStore({ clock, idleMs: 100, absoluteMs: 250 }),
    });
    const idle = await harness.session();
    const used = await harness.session();
    now = 99;
    await used.request('ping');
    now = 100;
    expect((await idle.request('ping')).status).toBe(404);
    expect((await used.request('ping')).status).toBe(200);
    now = 199;
    expect((await used.request('ping')).status).toBe(200);
    now = 250;
    expect((await used.request('ping')).status).toBe(404);
    expect(harness.events.filter((event) => event.type === 'session_ended')).toEqual([
      { type: 'session_ended', reason: 'expired' },
      { type: 'session_ended', reason: 'expired' },
    ]);
  });

  test('an open stream keeps its session in use', async () => {
    const harness = new Harness({
      // Long enough for a beat to come in time on a busy machine.
      sessions: new MemorySessionStore({ idleMs: 500, sweepMs: 10 }),
      streams: { keepAliveMs: 20 },
    });
    const [kept, left] = await Promise.all([harness.session(), harness.session()]);
    const stream = await kept.get();
    await until(() => harness.count('session_ended') === 1, 'the other one expires');
    expect((await left.request('ping')).status).toBe(404);
    expect((await kept.request('ping')).status).toBe(200);
    await stream.cancel();
  });

  test.each([
    ['of one principal', new MemorySessionStore({ perPrincipal: 2 }), 'alice'],
    ['of all', new MemorySessionStore({ total: 2 }), 'bob'],
  ])('B1.9 M-12: too many sessions %s', async (_name, sessions, principal) => {
    const harness = new Harness({ sessions });
    const first = await harness.session();
    await harness.session();
    const refused = await harness.post(initialize(), { authorization: `Bearer ${principal}` });
    expect([refused.status, refused.headers.get('retry-after'), refused.body.id]).toEqual([
      429,
      '60',
      'init',
    ]);
    expect(harness.count('session_opened')).toBe(2);
    expect(harness.events).toContainEqual({ type: 'limit_reached', limit: 'sessions' });
    await first.delete();
    expect((await harness.post(initialize(), { authorization: `Bearer ${principal}` })).status).toBe(200);
    expect(harness.count('session_opened')).toBe(3);
  });
});

test('a session that another process opened is told of where it is served, as often as its end', async () => {
  const sessions = new MemorySessionStore();
  const { headers } = await new Harness({ sessions }).session();
  const harness = new Harness({ sessions });
  expect((await harness.post(request(1, 'ping'), headers)).status).toBe(200);
  expect((await harness.post(request(2, 'ping'), headers)).status).toBe(200);
  expect([harness.count('session_opened'), harness.count('session_ended')]).toEqual([1, 0]);
  expect((await harness.send('DELETE', headers)).status).toBe(204);
  expect([harness.count('session_opened'), harness.count('session_ended')]).toEqual([1, 1]);
});

describe('a port that fails beside a request', () => {
  const failed = (harness: Harness) =>
    harness.events.flatMap((event) => (event.type === 'port_failed' ? [event.port] : []));

  test.each([
    ['late', () => Promise.reject(new Error('away'))],
    [
      'at once',
      () => {
        throw new Error('away');
      },
    ],
  ])('%s is noted, and the request is answered', async (_when, fails) => {
    const memory = new MemorySessionStore();
    const harness = new Harness({
      sessions: {
        add: (record) => memory.add(record),
        find: (principal, id) => memory.find(principal, id),
        update: fails,
        remove: (principal, id) => memory.remove(principal, id),
      },
      events: { append: () => undefined, read: () => undefined, forget: fails },
    });
    const session = await harness.session();
    expect((await session.request('logging/setLevel', { level: 'error' })).status).toBe(200);
    await until(() => failed(harness).length === 2, 'both changes are noted');
    expect((await session.delete()).status).toBe(204);
    await until(() => failed(harness).length === 3, 'what was not forgotten is noted');
    expect(failed(harness)).toEqual(['sessions', 'sessions', 'events']);
  });

  test('an open stream whose session cannot be looked up goes on', async () => {
    const memory = new MemorySessionStore();
    let isAway = false;
    const harness = new Harness({
      sessions: {
        add: (record) => memory.add(record),
        find: (principal, id) =>
          isAway ? Promise.reject(new Error('away')) : Promise.resolve(memory.find(principal, id)),
        update: (record) => memory.update(record),
        remove: (principal, id) => memory.remove(principal, id),
      },
      streams: { keepAliveMs: 10 },
    });
    const session = await harness.session();
    const stream = await session.get();
    isAway = true;
    await until(() => failed(harness).length > 0, 'it is noted');
    isAway = false;
    harness.notifier.toolsChanged();
    expect((await stream.message()).method).toBe('notifications/tools/list_changed');
    await stream.cancel();
  });
});

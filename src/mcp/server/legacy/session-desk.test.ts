import { describe, expect, test } from 'vitest';
import { Gate, Harness, initialize } from '../../../../test/support/server/harness.js';
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
      sessions: new MemorySessionStore({ idleMs: 150, sweepMs: 10 }),
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
    await first.delete();
    expect((await harness.post(initialize(), { authorization: `Bearer ${principal}` })).status).toBe(200);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { createMemoryTickets } from '../../test/support/memory-tickets.js';
import { toAgentId } from '../kernel/index.js';
import type { BrowserPrincipal, BrowserProof } from './browser-session.js';
import { createBrowserSessions } from './browser-sessions.js';

const OWNER: BrowserPrincipal = { kind: 'admin', id: 'admin', role: 'owner' };
const AGENT: BrowserPrincipal = { kind: 'agent', id: toAgentId('ci') };
const PROOF: BrowserProof = { kind: 'token', digest: 'd' };
const MINUTE = 60_000;

function open() {
  const clock = { at: 1_000_000, now: () => clock.at, monotonic: () => clock.at };
  const tickets = createMemoryTickets(clock);
  const gone = new Set<string>();
  const sessions = createBrowserSessions({
    tickets,
    clock,
    holds: async ({ id }) => !gone.has(id),
  });
  return { clock, tickets, gone, sessions };
}

describe('sessions of browsers', () => {
  test('A-13: each sign-in has a new name, which is not its id', async () => {
    const { sessions } = open();
    const one = await sessions.start(OWNER, PROOF);
    const two = await sessions.start(OWNER, PROOF);
    expect(one.cookie).not.toBe(two.cookie);
    expect(one.session.csrf).not.toBe(two.session.csrf);
    expect(Buffer.from(one.cookie, 'base64url')).toHaveLength(32);
    expect(await sessions.find(one.cookie)).toEqual(one.session);
    expect(await sessions.find(two.cookie)).toEqual(two.session);
    for (const wrong of [one.session.id, one.session.csrf, '', 'x'.repeat(10_000), `${one.cookie}x`])
      expect(await sessions.find(wrong)).toBeUndefined();
  });

  test('what cannot be a name is not even looked up', async () => {
    const { sessions, tickets } = open();
    const asked = [vi.spyOn(tickets, 'find'), vi.spyOn(tickets, 'remove')];
    for (const wrong of ['', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}!`, `!${'x'.repeat(43)}`]) {
      expect(await sessions.find(wrong)).toBeUndefined();
      await sessions.end(wrong);
    }
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
  });

  test('ends after 30 minutes without a use', async () => {
    const { sessions, clock } = open();
    const { cookie } = await sessions.start(OWNER, PROOF);
    clock.at += 30 * MINUTE - 1;
    expect(await sessions.find(cookie)).toBeDefined();
    clock.at += 30 * MINUTE - 1;
    expect(await sessions.find(cookie)).toBeDefined();
    clock.at += 30 * MINUTE;
    expect(await sessions.find(cookie)).toBeUndefined();
  });

  test('uses within a moment are not all written down', async () => {
    const { sessions, clock, tickets } = open();
    const { cookie } = await sessions.start(OWNER, PROOF);
    const before = await tickets.find('browser-seen', cookie);
    clock.at += MINUTE;
    await sessions.find(cookie);
    expect(await tickets.find('browser-seen', cookie)).toBe(before);
    clock.at += MINUTE;
    await sessions.find(cookie);
    expect(await tickets.find('browser-seen', cookie)).not.toBe(before);
  });

  test('ends after 12 hours, however busy', async () => {
    const { sessions, clock } = open();
    const { cookie, session } = await sessions.start(OWNER, PROOF);
    expect(session.expiresAt - session.startedAt).toBe(12 * 60 * MINUTE);
    for (let quarter = 0; quarter < 47; quarter++) {
      clock.at += 15 * MINUTE;
      expect(await sessions.find(cookie)).toBeDefined();
    }
    clock.at += 15 * MINUTE;
    expect(await sessions.find(cookie)).toBeUndefined();
  });

  test('A-13: an ended one is refused, and others go on', async () => {
    const { sessions, tickets } = open();
    const one = await sessions.start(OWNER, PROOF);
    const two = await sessions.start(OWNER, PROOF);
    await sessions.end(one.cookie);
    expect(await sessions.find(one.cookie)).toBeUndefined();
    expect(await sessions.find(two.cookie)).toBeDefined();
    expect(await tickets.count('browser')).toBe(1);
    expect(await tickets.count('browser-seen')).toBe(1);
  });

  test('a use that is noted while it ends does not bring it back', async () => {
    const { tickets, clock } = open();
    let endNow: (() => Promise<void>) | undefined;
    const sessions = createBrowserSessions({
      tickets,
      clock,
      holds: async () => {
        await endNow?.();
        return true;
      },
    });
    const { cookie } = await sessions.start(OWNER, PROOF);
    clock.at += 10 * MINUTE;
    endNow = () => sessions.end(cookie);
    await sessions.find(cookie);
    endNow = undefined;
    expect(await sessions.find(cookie)).toBeUndefined();
  });

  test('ends with what proved it', async () => {
    const { sessions, gone, tickets } = open();
    const { cookie } = await sessions.start(AGENT, { kind: 'key', key: 'k' });
    gone.add('ci');
    expect(await sessions.find(cookie)).toBeUndefined();
    gone.delete('ci');
    expect(await sessions.find(cookie)).toBeUndefined();
    expect(await tickets.count('browser')).toBe(0);
  });

  test('all of one principal end together; an agent is not an admin of the same name', async () => {
    const { sessions } = open();
    const agent = await sessions.start({ kind: 'agent', id: toAgentId('admin') }, PROOF);
    const admin = await sessions.start(OWNER, PROOF);
    await sessions.endAllOf({ kind: 'agent', id: 'admin' });
    expect(await sessions.find(agent.cookie)).toBeUndefined();
    expect(await sessions.find(admin.cookie)).toBeDefined();
  });
});

import { randomToken, type Clock, type TicketStore } from '../kernel/index.js';
import type { BrowserPrincipal, BrowserProof, BrowserSession, BrowserSessions } from './browser-session.js';

export interface BrowserSessionsOptions {
  readonly tickets: Pick<TicketStore, 'put' | 'find' | 'remove' | 'removeGroup'>;
  readonly clock: Clock;
  /** Whether this still makes a browser this principal, with this role. Asked at each use. */
  readonly holds: (principal: BrowserPrincipal, proof: BrowserProof) => Promise<boolean>;
  readonly idleMs?: number;
  readonly absoluteMs?: number;
}

const IDLE_MS = 30 * 60_000;
const ABSOLUTE_MS = 12 * 60 * 60_000;
/** How much of the idle time passes before a use is written down: not every request is worth a write. */
const NOTED_AFTER = 0.05;
const COOKIE = /^[\w-]{43}$/;

const SESSION = 'browser';
/**
 * That it was used lately is a ticket of its own. A use that is noted while another request signs out then brings back
 * nothing but this mark.
 */
const SEEN = 'browser-seen';

interface Kept {
  readonly session: BrowserSession;
  readonly proof: BrowserProof;
}

/** Sessions of browsers, kept where all processes find them. */
export function createBrowserSessions({
  tickets,
  clock,
  holds,
  idleMs = IDLE_MS,
  absoluteMs = ABSOLUTE_MS,
}: BrowserSessionsOptions): BrowserSessions {
  async function noteUse(cookie: string, { principal, expiresAt }: BrowserSession): Promise<void> {
    const until = Math.min(clock.now() + idleMs, expiresAt);
    const group = groupOf(principal);
    await tickets.put({ kind: SEEN, name: cookie, value: '{}', group, expiresAt: until });
  }

  async function end(cookie: string): Promise<void> {
    if (!COOKIE.test(cookie)) return;
    await tickets.remove(SESSION, cookie);
    await tickets.remove(SEEN, cookie);
  }

  return {
    async start(principal, proof) {
      const startedAt = clock.now();
      const cookie = randomToken();
      const session: BrowserSession = {
        id: randomToken(12),
        principal,
        csrf: randomToken(),
        startedAt,
        expiresAt: startedAt + absoluteMs,
      };
      const value = JSON.stringify({ session, proof } satisfies Kept);
      const { expiresAt } = session;
      await tickets.put({ kind: SESSION, name: cookie, value, group: groupOf(principal), expiresAt });
      await noteUse(cookie, session);
      return { session, cookie };
    },
    async find(cookie, isUse = true) {
      if (!COOKIE.test(cookie)) return undefined;
      const [kept, seen] = await Promise.all([tickets.find(SESSION, cookie), tickets.find(SEEN, cookie)]);
      if (kept === undefined || seen === undefined) return undefined;
      const { session, proof } = JSON.parse(kept.value) as Kept;
      if (!(await holds(session.principal, proof))) {
        await end(cookie);
        return undefined;
      }
      const idleFor = clock.now() + idleMs - seen.expiresAt;
      if (isUse && idleFor > idleMs * NOTED_AFTER && seen.expiresAt < session.expiresAt)
        await noteUse(cookie, session);
      return session;
    },
    end,
    endAllOf: (principal) => tickets.removeGroup(groupOf(principal)),
  };
}

function groupOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `browser ${kind} ${id}`;
}

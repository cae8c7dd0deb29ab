import {
  digestKey,
  type AdminDirectory,
  type AgentReader,
  type BrowserPrincipal,
  type BrowserProof,
  type BrowserSession,
  type BrowserSessions,
  type ProvenIdentity,
  type SingleSignOn,
} from '../agents/index.js';
import type { Actor, EventLog, HubEvent } from '../governance/index.js';
import { HubError, type Clock, type TicketStore } from '../kernel/index.js';
import type { RefusedAttempts } from './refused-attempts.js';
import { SIGN_IN_LINK, type LinkedSignIn } from './sign-in-link.js';

export interface SignInDependencies {
  readonly admins: Pick<AdminDirectory, 'findByTokenDigest'>;
  readonly agents: Pick<AgentReader, 'findByKeyDigest'>;
  readonly sessions: Pick<BrowserSessions, 'start' | 'find' | 'end'>;
  /** Whether this makes a browser this principal now. */
  readonly holds: (principal: BrowserPrincipal, proof: BrowserProof) => Promise<boolean>;
  readonly singleSignOn: Pick<SingleSignOn, 'principalOf'>;
  readonly tickets: Pick<TicketStore, 'take'>;
  readonly attempts: RefusedAttempts;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** A browser that was just signed in. `cookie` proves it from now on. */
export interface SignedIn {
  readonly session: BrowserSession;
  readonly cookie: string;
}

interface Attempt {
  /** The network it comes from. */
  readonly address: string;
  /** The cookie of the session that ends with this one. */
  readonly replaces?: string | undefined;
}

/** The ways to sign a browser in, and out. A sign-in that fails says one thing, whatever was wrong. */
export interface SignIn {
  /** With an admin token or a key of an agent. */
  withSecret(attempt: Attempt & { readonly secret: string }): Promise<SignedIn>;
  /** With a link, which this uses up. */
  withLink(attempt: Attempt & { readonly code: string }): Promise<SignedIn>;
  withIdentity(attempt: Attempt & { readonly identity: ProvenIdentity }): Promise<SignedIn>;
  signOut(cookie: string): Promise<void>;
}

type Way = Extract<HubEvent, { type: 'session.started' }>['way'];

/** Starts and ends sessions, and says no; whatever it does is recorded. */
function createSessionDesk({ sessions, attempts, events }: SignInDependencies) {
  async function end(cookie: string, reason: 'signed_out' | 'replaced'): Promise<void> {
    const session = await sessions.find(cookie);
    await sessions.end(cookie);
    if (session !== undefined)
      events.append(toActor(session.principal), { type: 'session.ended', session: session.id, reason });
  }

  async function start(
    principal: BrowserPrincipal,
    proof: BrowserProof,
    way: Way,
    { replaces }: Attempt,
  ): Promise<SignedIn> {
    const started = await sessions.start(principal, proof);
    if (replaces !== undefined) await end(replaces, 'replaced');
    const { id: session } = started.session;
    const role = principal.kind === 'admin' ? { role: principal.role } : {};
    events.append(toActor(principal), { type: 'session.started', session, way, ...role });
    return started;
  }

  function refuse({ address }: Attempt, reason: string): HubError {
    attempts.note({ address, surface: 'sign_in', reason, isGuess: true });
    return new HubError('unauthenticated', 'that is not known here, or not any more');
  }

  return { start, end, refuse };
}

export function createSignIn(deps: SignInDependencies): SignIn {
  const { admins, agents, tickets, attempts } = deps;
  const { start, end, refuse } = createSessionDesk(deps);
  return {
    async withSecret(attempt) {
      attempts.requireFew(attempt.address);
      const digest = digestKey(attempt.secret);
      // Both are looked up, whatever the first one says: how long it takes must not tell which kind was right.
      const [admin, keyed] = await Promise.all([
        admins.findByTokenDigest(digest),
        agents.findByKeyDigest(digest),
      ]);
      if (admin !== undefined) {
        const principal = { kind: 'admin', id: admin.id, role: admin.role } as const;
        return start(principal, { kind: 'token', digest }, 'token', attempt);
      }
      if (keyed !== undefined) {
        const principal = { kind: 'agent', id: keyed.agent.id } as const;
        const proof = { kind: 'key', key: keyed.key.id } as const;
        if (await deps.holds(principal, proof)) return start(principal, proof, 'key', attempt);
      }
      throw refuse(attempt, 'a wrong token or key');
    },
    async withLink(attempt) {
      attempts.requireFew(attempt.address);
      const ticket = await tickets.take(SIGN_IN_LINK, attempt.code);
      if (ticket !== undefined) {
        const { principal, proof } = JSON.parse(ticket.value) as LinkedSignIn;
        if (await deps.holds(principal, proof)) return start(principal, proof, 'link', attempt);
      }
      throw refuse(attempt, 'a sign-in link that is not known, or not any more,');
    },
    async withIdentity(attempt) {
      const { issuer, id, values } = attempt.identity;
      const principal = deps.singleSignOn.principalOf(issuer, values, id);
      const proof = { kind: 'single_sign_on', issuer, id, values } as const;
      if (principal !== undefined && (await deps.holds(principal, proof)))
        return start(principal, proof, 'single_sign_on', attempt);
      const { address } = attempt;
      const reason = 'somebody the identity provider knows and nobody here gave a role,';
      attempts.note({ address, surface: 'sign_in', reason, isGuess: false });
      throw new HubError('forbidden', 'the identity provider knows you, but you have no role in this hub');
    },
    signOut: (cookie) => end(cookie, 'signed_out'),
  };
}

function toActor({ kind, id }: BrowserPrincipal): Actor {
  return { kind, id } as Actor;
}

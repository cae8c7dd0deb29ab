import type { BegunSignIn, ProvenIdentity, SingleSignOn } from '../agents/index.js';
import { HubError, randomToken, type Clock, type TicketStore } from '../kernel/index.js';
import { AttemptWindow } from './attempt-window.js';
import type { RefusedAttempts } from './refused-attempts.js';

export interface SignInElsewhereDependencies {
  readonly singleSignOn: Pick<SingleSignOn, 'begin' | 'finish'>;
  readonly tickets: Pick<TicketStore, 'put' | 'take' | 'count'>;
  readonly attempts: RefusedAttempts;
  readonly clock: Clock;
}

/** The way to the identity provider and back, in one browser. */
export interface SignInElsewhere {
  /** Where to send the browser, and what it has to show when it comes back. */
  begin(request: {
    readonly redirectUri: string;
    /** Where it wants to go in the end. */
    readonly next: string;
    /** What this browser was given for a sign-in that may still be under way in another tab. */
    readonly binding: string | undefined;
    readonly address: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly location: string; readonly binding: string }>;
  /** With what it showed and what the provider gave it, which count together, and once. */
  finish(answer: {
    readonly binding: string | undefined;
    readonly response: URLSearchParams;
    readonly address: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly identity: ProvenIdentity; readonly next: string }>;
}

interface Kept {
  readonly begun: BegunSignIn;
  readonly next: string;
}

const KIND = 'single-sign-on';
const BINDING = /^[\w-]{43}$/;
const LIFETIME_MS = 10 * 60_000;
/** Anybody may begin, so what is kept for it is bounded: by network, and altogether. */
const MAX_BEGUN = { limit: 30, windowMs: 5 * 60_000 };
const MAX_KEPT = 10_000;

export function createSignInElsewhere({
  singleSignOn,
  tickets,
  attempts,
  clock,
}: SignInElsewhereDependencies): SignInElsewhere {
  const begins = new AttemptWindow(MAX_BEGUN);
  return {
    async begin({ redirectUri, next, binding: shown = '', address, signal }) {
      if (!begins.note(address, clock.monotonic()) || (await tickets.count(KIND)) >= MAX_KEPT)
        throw new HubError('rate_limited', 'too many sign-ins were begun: wait before trying again', {
          retryAfterMs: Math.max(1_000, begins.blockedFor(address, clock.monotonic())),
        });
      const begun = await singleSignOn.begin(redirectUri, signal);
      const binding = BINDING.test(shown) ? shown : randomToken();
      const expiresAt = clock.now() + LIFETIME_MS;
      const value = JSON.stringify({ begun, next } satisfies Kept);
      await tickets.put({ kind: KIND, name: nameOf(binding, begun.state), value, expiresAt });
      return { location: begun.authorizationUrl, binding };
    },
    async finish({ binding, response, address, signal }) {
      attempts.requireFew(address);
      const state = response.get('state');
      const ticket =
        binding === undefined || state === null
          ? undefined
          : await tickets.take(KIND, nameOf(binding, state));
      if (ticket === undefined) {
        const reason = 'an answer of the identity provider that nobody waits for';
        attempts.note({ address, surface: 'sign_in', reason, isGuess: true });
        throw new HubError(
          'invalid_request',
          'this sign-in was not begun in this browser, took too long, or is over: sign in again',
        );
      }
      const kept = JSON.parse(ticket.value) as Kept;
      return { identity: await singleSignOn.finish(kept.begun, response, signal), next: kept.next };
    },
  };
}

/** A browser has one binding for all its tabs; the state tells them apart. */
function nameOf(binding: string, state: string): string {
  return `${binding}.${state}`;
}

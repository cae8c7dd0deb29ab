import {
  createBrowserSessions,
  createOpenIdExchange,
  createProofCheck,
  createSingleSignOn,
  type AdminDirectory,
  type AgentReader,
  HUB_ADMIN,
  type ProviderFetch,
} from '../agents/index.js';
import { createBrowserGate } from '../edge/index.js';
import type { EventLog } from '../governance/index.js';
import type { Clock, Logger, Switchboard } from '../kernel/index.js';
import {
  createAddSignInLink,
  createCheckAdminToken,
  createRefusedAttempts,
  createSignIn,
  createSignInElsewhere,
  type CheckAdminTokenDependencies,
} from '../operations/index.js';
import type { Storage } from '../storage/index.js';
import { createGuardedFetch } from '../upstreams/index.js';
import type { PublicUrl } from './public-url.js';

export interface BrowserParts {
  readonly storage: Pick<Storage, 'tickets'>;
  readonly agents: AgentReader;
  readonly admins: AdminDirectory;
  readonly authenticator: CheckAdminTokenDependencies['authenticator'];
  readonly events: Pick<EventLog, 'append'>;
  readonly board: Pick<Switchboard, 'tell' | 'serve'>;
  readonly publicUrl: PublicUrl;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Everybody who signs in with a browser. */
export function composeBrowser({
  storage: { tickets },
  agents,
  admins,
  authenticator,
  events,
  board,
  publicUrl,
  clock,
  logger,
}: BrowserParts) {
  const singleSignOn = createSingleSignOn(createOpenIdExchange({ fetchFor: createProviderFetch(), logger }));
  const holds = createProofCheck({
    agents,
    admins,
    principalOf: (issuer, values, id) => singleSignOn.principalOf(issuer, values, id),
    clock,
  });
  const sessions = createBrowserSessions({ tickets, clock, holds });
  const attempts = createRefusedAttempts({ events, clock, board });
  const signIn = createSignIn({
    admins,
    agents,
    sessions,
    holds,
    singleSignOn,
    tickets,
    attempts,
    events,
    clock,
  });
  const addSignInLink = createAddSignInLink({ admins, tickets, clock });
  return {
    admins,
    singleSignOn,
    sessions,
    tickets,
    signIn,
    signOut: (cookie: string) => signIn.signOut(cookie),
    /** For whoever started the hub. */
    async createSignInLink(): Promise<string> {
      const { code } = await addSignInLink({ by: { id: HUB_ADMIN } });
      return publicUrl.of(`/sign-in?code=${code}`);
    },
    signInElsewhere: createSignInElsewhere({ singleSignOn, tickets, attempts, clock }),
    checkAdminToken: createCheckAdminToken({ admins, authenticator, attempts }),
    gate: createBrowserGate({
      sessions,
      secure: () => publicUrl.get().startsWith('https:'),
      origins: () => [new URL(publicUrl.get()).origin],
    }),
  };
}

/** The operator named the issuer, so it may be in a private network, and without https. */
function createProviderFetch(): (issuer: URL) => ProviderFetch {
  const known = new Map<string, ProviderFetch>();
  return (issuer) => {
    const fetch = known.get(issuer.href) ?? createGuardedFetch({ privateOrigins: [issuer] });
    known.set(issuer.href, fetch);
    return fetch;
  };
}

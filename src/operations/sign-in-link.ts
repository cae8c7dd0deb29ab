import type { AdminDirectory, BrowserPrincipal, BrowserProof } from '../agents/index.js';
import { HubError, randomToken, type Clock, type TicketStore } from '../kernel/index.js';
import type { Admin } from './admin.js';

export interface AddSignInLinkDependencies {
  readonly admins: Pick<AdminDirectory, 'find'>;
  readonly tickets: Pick<TicketStore, 'put'>;
  readonly clock: Clock;
}

/** A code that signs one browser in as this admin, once. */
export type AddSignInLink = (request: { readonly by: Pick<Admin, 'id'> }) => Promise<{
  readonly code: string;
  readonly expiresAt: number;
}>;

/** The kind of its ticket. */
export const SIGN_IN_LINK = 'sign-in-link';

export interface LinkedSignIn {
  readonly principal: BrowserPrincipal;
  readonly proof: BrowserProof;
}

const LINK_MS = 10 * 60_000;

export function createAddSignInLink({ admins, tickets, clock }: AddSignInLinkDependencies): AddSignInLink {
  return async function addSignInLink({ by }) {
    const admin = await admins.find(by.id);
    if (admin?.tokenDigest === undefined)
      throw new HubError('forbidden', 'a sign-in link is for admins that have a token');
    const { id, role, tokenDigest: digest } = admin;
    const linked: LinkedSignIn = { principal: { kind: 'admin', id, role }, proof: { kind: 'token', digest } };
    const code = randomToken();
    const expiresAt = clock.now() + LINK_MS;
    await tickets.put({ kind: SIGN_IN_LINK, name: code, value: JSON.stringify(linked), expiresAt });
    return { code, expiresAt };
  };
}

import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { ROUTES } from 'virtual:contract';
import type { AdminRole } from '../../../src/contract/index.js';
import { setCsrf } from './csrf.js';
import { ask } from './request.js';
import { goToSignIn } from './sign-in.js';

export type { SessionView } from '../../../src/contract/index.js';

const ROLES: readonly AdminRole[] = ['viewer', 'operator', 'owner'];

export const currentSession = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask(ROUTES.session.get, { signal }),
});

/** Fetched once before anything else: writes need the token it brings. */
export function openSession(client: QueryClient): void {
  setCsrf(async () => (await client.ensureQueryData(currentSession)).session?.csrfToken);
}

export async function signOut(): Promise<void> {
  await ask(ROUTES.session.end, {});
  goToSignIn('/');
}

/** Whether a role is enough. */
export function isAllowed(role: AdminRole, least: AdminRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

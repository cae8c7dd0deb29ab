import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { AdminRole } from '../../../src/contract/index.js';
import { ROUTES } from './contract.js';
import { setCsrf } from './csrf.js';
import { ask } from './request.js';

const ROLES: readonly AdminRole[] = ['viewer', 'operator', 'owner'];

export const currentSession = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask(ROUTES.session.get, { signal }),
});

/** Writes need the token that the session brings. */
export function openSession(client: QueryClient): void {
  setCsrf(async () => (await client.ensureQueryData(currentSession)).session?.csrfToken);
}

export async function signOut(): Promise<void> {
  await ask(ROUTES.session.end, {});
  window.location.assign('/sign-in');
}

/** Whether a role is enough. */
export function isAllowed(role: AdminRole, least: AdminRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { AdminRole } from '../../../src/contract/index.js';
import { setCsrf } from './csrf.js';
import { ApiError, ask } from './request.js';
import { goToSignIn } from './sign-in.js';

export interface SessionView {
  readonly admin: { readonly id: string; readonly role: AdminRole };
  readonly session?: { readonly csrfToken: string };
}

const ROUTES = {
  get: { method: 'get', path: '/api/v1/session' } as {
    readonly method: string;
    readonly path: '/api/v1/session';
    readonly types?: { readonly query: object; readonly body: undefined; readonly answer: SessionView };
  },
  end: { method: 'delete', path: '/api/v1/session' } as {
    readonly method: string;
    readonly path: '/api/v1/session';
    readonly types?: { readonly query: object; readonly body: undefined; readonly answer: undefined };
  },
};

const ROLES: readonly AdminRole[] = ['viewer', 'operator', 'owner'];

export const currentSession = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionView> => {
    try {
      return await ask(ROUTES.get, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return { admin: { id: 'admin', role: 'owner' } };
      throw error;
    }
  },
});

/** Fetched once before anything else: writes need the token it brings. */
export function openSession(client: QueryClient): void {
  setCsrf(async () => (await client.ensureQueryData(currentSession)).session?.csrfToken);
}

export async function signOut(): Promise<void> {
  await ask(ROUTES.end, {});
  goToSignIn('/');
}

/** Whether a role is enough. */
export function isAllowed(role: AdminRole, least: AdminRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

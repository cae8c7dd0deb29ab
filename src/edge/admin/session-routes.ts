import { ADMIN_ROUTES } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import type { AdminDependencies } from './dependencies.js';
import type { Register } from './register.js';
import { toTime } from './views/secret-state.js';

const ROUTES = ADMIN_ROUTES.session;

export function registerSessionRoutes(
  register: Register,
  { operations, gate, urlOf }: Pick<AdminDependencies, 'operations' | 'gate' | 'urlOf'>,
): void {
  register(ROUTES.get, async ({ by: { id, role, signedIn } }) => {
    if (signedIn === undefined) return { body: { admin: { id, role } } };
    const { id: session, csrf: csrfToken, startedAt, expiresAt } = signedIn.session;
    const shown = { id: session, csrfToken, startedAt: toTime(startedAt), expiresAt: toTime(expiresAt) };
    return { body: { admin: { id, role }, session: shown } };
  });
  register(ROUTES.end, async ({ by: { signedIn } }) => {
    if (signedIn === undefined) throw new HubError('not_found', 'a token has no session that could be ended');
    await operations.signOut(signedIn.cookie.reveal());
    return { body: undefined, headers: { 'set-cookie': gate.clearCookie() } };
  });
  register(ROUTES.addLink, async ({ by }) => {
    const { code, expiresAt } = await operations.addSignInLink({ by });
    return { body: { url: urlOf(`/sign-in?code=${code}`), expiresAt: toTime(expiresAt) } };
  });
}

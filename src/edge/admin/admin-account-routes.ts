import type { KnownAdmin } from '../../agents/index.js';
import { ADMIN_ROUTES, type AdminView } from '../../contract/index.js';
import type { AdminDependencies } from './dependencies.js';
import { pageOf } from './list-page.js';
import { adminNamed } from './record-names.js';
import type { Register } from './register.js';
import { toTime } from './views/secret-state.js';

const ROUTES = ADMIN_ROUTES.admins;

export function registerAdminAccountRoutes(
  register: Register,
  { admins, operations }: Pick<AdminDependencies, 'admins' | 'operations'>,
): void {
  register(ROUTES.list, async ({ query }) => {
    const { items, ...more } = pageOf('admins', await admins.list(), ({ id }) => id, query);
    return { body: { items: items.map(toAdminView), ...more } };
  });
  register(ROUTES.add, async ({ by, body }) => {
    const { admin, token } = await operations.addAdmin({ by, input: body });
    return { body: { ...toAdminView(admin), token: token.reveal() } };
  });
  register(ROUTES.remove, async ({ by, names }) => ({
    body: await operations.removeAdmin({ by, id: adminNamed(names.id) }),
  }));
}

function toAdminView({ id, name, role, source, last4, createdAt }: KnownAdmin): AdminView {
  return { id, name, role, source, readOnly: source !== 'stored', last4, createdAt: toTime(createdAt) };
}

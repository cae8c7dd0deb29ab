import { ADMIN_ROUTES } from '../../contract/index.js';
import type { AdminDependencies } from './dependencies.js';
import { pageOf } from './list-page.js';
import type { Register } from './register.js';

const ROUTES = ADMIN_ROUTES.clients;

export function registerClientRoutes(register: Register, { clients, operations }: AdminDependencies): void {
  register(ROUTES.list, async ({ query }) => {
    const { items, ...more } = pageOf('clients', await clients.list(), ({ id }) => id, query);
    const views = items.map(({ approvedAt, ...client }) => ({
      ...client,
      scopes: [...client.scopes],
      approvedAt: new Date(approvedAt).toISOString(),
    }));
    return { body: { items: views, ...more } };
  });
  register(ROUTES.revoke, async ({ by, names }) => ({
    body: await operations.revokeClient({ by, id: names.id }),
  }));
}

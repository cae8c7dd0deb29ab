import type { Hono } from 'hono';
import type { AdminDependencies } from './dependencies.js';
import type { AdminEnv } from './register.js';

/** The admin API, loaded when it is opened: what it needs to check and describe requests is large. */
export async function openAdminApp(deps: AdminDependencies): Promise<Hono<AdminEnv>> {
  const { createAdminApp } = await import('./admin-app.js');
  return createAdminApp(deps);
}

import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, Hono, Next } from 'hono';
import { ADMIN_BASE_PATH } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import { registerAdminAccountRoutes } from './admin-account-routes.js';
import { registerAccountRoutes } from './account-routes.js';
import { registerAgentRoutes } from './agent-routes.js';
import { registerClientRoutes } from './client-routes.js';
import { registerConnectorRoutes } from './connector-routes.js';
import { registerCredentialRoutes } from './credential-routes.js';
import type { AdminDependencies } from './dependencies.js';
import { toFailedAnswer } from './error-answer.js';
import { registerEventRoutes } from './event-routes.js';
import { registerPolicyRoutes } from './policy-routes.js';
import { addressOf, createRegister, type AdminEnv } from './register.js';
import { registerStatisticsRoutes } from './statistics-routes.js';
import { registerMasterKeyRoutes } from './master-key-routes.js';
import { registerSessionRoutes } from './session-routes.js';
import { registerStatusRoutes } from './status-routes.js';
import { registerToolRoutes } from './tool-routes.js';

/** Answers everything below `/api/v1`, under its full path. Nothing is answered before it is known who asks. */
export function createAdminApp(deps: AdminDependencies): Hono<AdminEnv> {
  const app = new OpenAPIHono<AdminEnv>();
  const below = `${ADMIN_BASE_PATH}/*`;
  app.onError((error, c) => fail(deps, error, c));
  app.notFound((c) =>
    fail(deps, new HubError('not_found', 'there is nothing at this address'), c, OUTSIDE_HEADERS),
  );
  app.use(below, (c, next) => prepareAnswer(c, next));
  app.use(below, (c, next) => admit(deps, c, next));
  app.use(below, (c, next) => settle(deps, c, next));
  const register = createRegister(app, deps);
  registerConnectorRoutes(register, deps);
  registerCredentialRoutes(register, deps);
  registerAccountRoutes(register, deps);
  registerAgentRoutes(register, deps);
  registerClientRoutes(register, deps);
  registerToolRoutes(register, deps);
  registerPolicyRoutes(register, deps);
  registerEventRoutes(register, deps);
  registerStatisticsRoutes(register, deps);
  registerMasterKeyRoutes(register, deps);
  registerAdminAccountRoutes(register, deps);
  registerSessionRoutes(register, deps);
  registerStatusRoutes(register, app, deps);
  app.all(below, (c) => {
    throw nothingHere(app, c);
  });
  return app;
}

/** Of what is not below our path and nobody else's either. */
const OUTSIDE_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

async function prepareAnswer(c: Context<AdminEnv>, next: Next): Promise<void> {
  const requestId = randomUUID();
  c.set('requestId', requestId);
  await next();
  c.header('x-request-id', requestId);
  c.header('cache-control', 'no-store');
  c.header('x-content-type-options', 'nosniff');
  c.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  c.header('referrer-policy', 'no-referrer');
}

async function admit(
  { authenticateAdmin }: AdminDependencies,
  c: Context<AdminEnv>,
  next: Next,
): Promise<void> {
  const admin = await authenticateAdmin(c.req.raw, addressOf(c));
  if (admin === undefined)
    throw new HubError('unauthenticated', 'this needs an admin token: Authorization: Bearer …');
  c.set('admin', admin);
  await next();
}

/** Whoever is told that something changed may call another replica next. */
async function settle({ settled }: AdminDependencies, c: Context<AdminEnv>, next: Next): Promise<void> {
  await next();
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') await settled();
}

function fail(
  { logger }: AdminDependencies,
  error: Error,
  c: Context<AdminEnv>,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { status, headers, body } = toFailedAnswer(error);
  const { code } = body.error;
  const request = c.get('requestId');
  if (status >= 500) logger.warn({ request, code, error: error.message }, 'an admin request failed');
  else logger.debug({ request, code }, 'an admin request was refused');
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers, ...more },
  });
}

/** Another method may be right at this address. */
function nothingHere(app: Hono<AdminEnv>, c: Context<AdminEnv>): HubError {
  const allow = app.routes
    .filter(({ method, path }) => method !== 'ALL' && matches(path, c.req.path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (allow.length === 0) return new HubError('not_found', 'there is nothing at this address');
  return new HubError('method_not_allowed', 'this address does not take that method', {
    details: { allow: [...new Set(allow)] },
  });
}

function matches(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const expected = pattern.split('/');
  return (
    parts.length === expected.length &&
    expected.every((part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''))
  );
}

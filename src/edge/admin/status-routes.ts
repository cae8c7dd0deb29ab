import type { OpenAPIHono } from '@hono/zod-openapi';
import { ADMIN_BASE_PATH, ADMIN_ROUTES, type StatusView } from '../../contract/index.js';
import type { AdminDependencies } from './dependencies.js';
import type { AdminEnv, Register } from './register.js';
import { toTime } from './views/secret-state.js';

const ROUTES = ADMIN_ROUTES.status;

export function registerStatusRoutes(
  register: Register,
  app: OpenAPIHono<AdminEnv>,
  deps: AdminDependencies,
): void {
  let description: Readonly<Record<string, unknown>> | undefined;
  register(ROUTES.get, async () => ({ body: await statusOf(deps) }));
  register(ROUTES.description, async () => ({ body: (description ??= describe(app, deps.about.version)) }));
}

async function statusOf({
  about,
  connectors,
  agents,
  policies,
  catalog,
  events,
  eventStore,
  health,
  clock,
}: AdminDependencies): Promise<StatusView> {
  const all = await connectors.list();
  const states = { healthy: 0, unhealthy: 0, failed: 0, unknown: 0, disabled: 0 };
  for (const connector of all) states[health.healthOf(connector).state]++;
  return {
    version: about.version,
    startedAt: toTime(about.startedAt),
    uptimeMs: Math.max(0, Math.round(clock.now() - about.startedAt)),
    counts: {
      connectors: all.length,
      agents: (await agents.list()).length,
      policies: (await policies.list()).length,
      tools: catalog.entries().reduce((sum, { snapshot }) => sum + snapshot.tools.length, 0),
      events: await eventStore.count(),
    },
    health: states,
    audit: { available: events.available },
    storage: { kind: about.storageKind },
    config: { file: about.configFile() ?? null, sources: { ...about.configSources() } },
  };
}

function describe(app: OpenAPIHono<AdminEnv>, version: string): Readonly<Record<string, unknown>> {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Crosspoint admin API', version },
    servers: [{ url: ADMIN_BASE_PATH }],
  });
  const components = {
    ...document.components,
    securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } },
  };
  return { ...document, components };
}

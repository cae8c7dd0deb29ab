import { buildSurface, type Permits, type Surface } from '../../catalog/index.js';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { HubError, toCallId } from '../../kernel/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import type { AdminDependencies } from './dependencies.js';
import { pageOf } from './list-page.js';
import { agentNamed, connectorNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toToolView } from './views/tool-view.js';

const ROUTES = ADMIN_ROUTES.tools;
const ALL = { kind: 'all' } as const;
const EVERYTHING: Permits = { tool: () => true, prompt: () => true, resource: () => true };

export function registerToolRoutes(register: Register, deps: AdminDependencies): void {
  register(ROUTES.list, async ({ query: { agent, connector, ...page } }) => {
    const surface = await surfaceOf(deps, agent);
    const only =
      connector === undefined
        ? undefined
        : requireFound(await deps.connectors.find(connectorNamed(connector)), 'connector').id;
    const entries = surface.tools
      .flatMap(({ name }) => surface.findTool(name) ?? [])
      .filter((entry) => only === undefined || entry.connector.id === only);
    const { items, ...more } = pageOf('tools', entries, ({ exposedName }) => exposedName, page);
    return { body: { items: items.map(toToolView), ...more } };
  });

  register(ROUTES.call, async ({ by, body, signal }) => {
    const agent = requireFound(await deps.agents.find(agentNamed(body.agent)), 'agent');
    if (!agent.enabled) throw new HubError('conflict', `agent ${agent.id} is disabled`);
    const result = await deps.operations.callTool({
      // One id for the answer, the request and the events.
      callId: toCallId(by.request),
      agent,
      admin: by.id,
      scope: ALL,
      exposedName: body.name,
      args: body.arguments as JsonObject | undefined,
      // Nobody can be asked in the middle of a request.
      options: { signal },
    });
    return { body: { callId: by.request, result } };
  });
}

async function surfaceOf(deps: AdminDependencies, agent: string | undefined): Promise<Surface> {
  if (agent === undefined) return buildSurface(deps.catalog.entries(), ALL, EVERYTHING);
  return deps.surfaces.surfaceFor(requireFound(await deps.agents.find(agentNamed(agent)), 'agent'), ALL);
}

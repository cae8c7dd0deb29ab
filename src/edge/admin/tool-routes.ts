import { buildSurface, withUsageGuide, type Permits, type Surface } from '../../catalog/index.js';
import { ADMIN_ROUTES, type ToolView } from '../../contract/index.js';
import { HubError, invalidField, toCallId } from '../../kernel/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import type { ToolCall } from '../../operations/index.js';
import { createCallStreams } from './call-streams.js';
import type { AdminDependencies } from './dependencies.js';
import { pageOf } from './list-page.js';
import { agentNamed, connectorNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { callWithin } from './trace-request.js';
import { toToolView } from './views/tool-view.js';

const ROUTES = ADMIN_ROUTES.tools;
const ALL = { kind: 'all' } as const;
const EVERYTHING: Permits = { tool: () => true, prompt: () => true, resource: () => true };

export function registerToolRoutes(register: Register, deps: AdminDependencies): void {
  register(ROUTES.list, async ({ query: { agent, connector, access, risk, q, ...page } }) => {
    if (access !== undefined && agent === undefined) throw invalidField('access', 'goes with an agent');
    const surface = await surfaceOf(deps, access === 'cannot' ? undefined : agent);
    const seen = access === 'cannot' ? await surfaceOf(deps, agent) : undefined;
    const only =
      connector === undefined
        ? undefined
        : requireFound(await deps.connectors.find(connectorNamed(connector)), 'connector', connector).id;
    const isWanted = createSearch(q);
    const entries = entriesOf(surface).filter(
      (entry) =>
        (only === undefined || entry.connector.id === only) &&
        seen?.findTool(entry.exposedName) === undefined &&
        isWanted(entry) &&
        (risk === undefined || toToolView(entry).risk === risk),
    );
    const { items, ...more } = pageOf('tools', entries, ({ exposedName }) => exposedName, page);
    return { body: { items: items.map(toOffered), ...more } };
  });

  register(ROUTES.get, async ({ names }) => {
    const entry = (await surfaceOf(deps, undefined)).findTool(names.name);
    return { body: toOffered(requireFound(entry, 'tool')) };
  });

  const streams = createCallStreams(deps);
  register(ROUTES.call, async ({ by, body, signal, trace, wantsStream }) => {
    const agent = requireFound(await deps.agents.find(agentNamed(body.agent)), 'agent', body.agent);
    if (!agent.enabled) throw new HubError('conflict', `agent ${agent.id} is disabled`);
    const args = body.arguments as JsonObject | undefined;
    if (wantsStream)
      return { body: undefined, stream: streams.open({ by, agent, name: body.name, args, signal, trace }) };
    const call: ToolCall = {
      // One id for the answer, the request and the events.
      callId: toCallId(by.request),
      agent,
      admin: by.id,
      scope: ALL,
      exposedName: body.name,
      args,
      // Nobody can be asked in the middle of a request.
      options: { signal },
    };
    const result = await callWithin(trace, call, deps.operations.callTool);
    return { body: { callId: by.request, result } };
  });
  register(ROUTES.answer, async ({ by, names, body }) => ({
    body: await deps.operations.callQuestions.answer({ by, ...names, answer: body }),
  }));
}

async function surfaceOf(deps: AdminDependencies, agent: string | undefined): Promise<Surface> {
  if (agent === undefined) return buildSurface(deps.catalog.entries(), ALL, EVERYTHING);
  return deps.surfaces.surfaceFor(
    requireFound(await deps.agents.find(agentNamed(agent)), 'agent', agent),
    ALL,
  );
}

/** With what the operator wrote about its use, as agents read it. */
function toOffered(entry: ReturnType<typeof entriesOf>[number]): ToolView {
  return toToolView({ ...entry, tool: withUsageGuide(entry.tool, entry.connector.prompts) });
}

function entriesOf(surface: Surface) {
  return surface.tools.flatMap(({ name }) => surface.findTool(name) ?? []);
}

/** Whether every word occurs in what a tool says of itself. */
function createSearch(q = ''): (entry: ReturnType<typeof entriesOf>[number]) => boolean {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ exposedName, tool, connector }) => {
    if (words.length === 0) return true;
    const text = [exposedName, tool.name, tool.title, connector.name, tool.description]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

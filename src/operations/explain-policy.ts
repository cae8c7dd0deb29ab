import type { AgentDirectory } from '../agents/index.js';
import { buildSurface, type LiveCatalog, type Permits, type ToolEntry } from '../catalog/index.js';
import type { Decision, PolicyEngine, RiskClass } from '../governance/index.js';
import { HubError, type AgentId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { toTarget } from './call-policy.js';
import type { Surfaces } from './surfaces.js';

export interface ExplainPolicyDependencies {
  readonly agents: Pick<AgentDirectory, 'require'>;
  readonly catalog: LiveCatalog;
  readonly policy: PolicyEngine;
  readonly surfaces: Surfaces;
}

export interface Explanation {
  readonly entry: ToolEntry;
  readonly decision: Decision;
  readonly risk: RiskClass;
  readonly tags: readonly string[];
  /** Whether the agent sees the tool at all. */
  readonly listed: boolean;
}

export type ExplainPolicy = (question: {
  readonly agent: AgentId;
  readonly tool: string;
  readonly args: JsonObject | undefined;
  /** Tags of what was used before in the same conversation. */
  readonly seen: readonly string[];
}) => Promise<Explanation>;

const EVERYTHING: Permits = { tool: () => true, prompt: () => true, resource: () => true };

/** What a call would be answered by the policies, and why. Nothing is called. */
export function createExplainPolicy(deps: ExplainPolicyDependencies): ExplainPolicy {
  return async function explainPolicy({ agent: id, tool: name, args, seen }) {
    const agent = await deps.agents.require(id);
    const entry = findTool(deps.catalog, name);
    if (entry === undefined)
      throw new HubError('unknown_tool', `no connector that is on offers a tool ${name.slice(0, 128)}`);
    const { connector, tool, exposedName } = entry;
    const target = toTarget(entry, tool);
    const question = { agent, connector, target, args: args ?? {}, seen } as const;
    const decision = deps.policy.decide({ ...question, action: 'call' });
    const listed = deps.surfaces.surfaceFor(agent, { kind: 'all' }).findTool(exposedName) !== undefined;
    return { entry, decision, risk: target.risk, tags: target.tags, listed };
  };
}

/** Among all tools, whoever may see them: by exposed name, or as policies name it. */
function findTool(catalog: LiveCatalog, name: string): ToolEntry | undefined {
  const everything = buildSurface(catalog.entries(), { kind: 'all' }, EVERYTHING);
  const slash = name.indexOf('/');
  if (slash === -1) return everything.findTool(name);
  const own = catalog.entries().find(({ connector }) => connector.id === name.slice(0, slash));
  const pair = own?.snapshot.names.tools.find(([upstreamName]) => upstreamName === name.slice(slash + 1));
  return pair && everything.findTool(pair[1]);
}

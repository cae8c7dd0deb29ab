import type { CatalogEntry, ToolEntry } from '../catalog/index.js';
import { flagsOf, riskOf, type Decision, type PolicyEngine, type PolicyTarget } from '../governance/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Tool } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';

export type DecideCall = (call: Pick<ToolCall, 'agent' | 'args'>, entry: ToolEntry) => Decision;

const NO_ARGUMENTS: JsonObject = {};

/** What policies say to a call of a tool. */
export function createDecide(policy: PolicyEngine): DecideCall {
  // The same object for the same entry: decisions are remembered by it.
  const targets = new WeakMap<ToolEntry, PolicyTarget>();
  return ({ agent, args = NO_ARGUMENTS }, entry) => {
    let target = targets.get(entry);
    if (target === undefined) targets.set(entry, (target = toTarget(entry, entry.tool)));
    return policy.decide({ agent, action: 'call', connector: entry.connector, target, args });
  };
}

/** A tool as policies see it. */
export function toTarget({ connector }: CatalogEntry, tool: Tool): PolicyTarget {
  const tags = [...connector.tags, ...(connector.toolTags[tool.name] ?? [])];
  const annotations = flagsOf(tool);
  return { kind: 'tool', name: tool.name, risk: riskOf(annotations, tags), tags, annotations };
}

import type { CatalogEntry, ToolEntry } from '../catalog/index.js';
import { tagsOfTool } from '../connectors/index.js';
import { flagsOf, riskOf, type Decision, type PolicyEngine, type PolicyTarget } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Tool } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';
import { requireConfirmation } from './confirmation.js';

/** What policies say to calls of tools. */
export interface CallPolicy {
  decide(call: Pick<ToolCall, 'agent' | 'args'>, entry: ToolEntry): Decision;
  /** For a call that is not simply allowed: asks for consent where that is enough, and throws where there is none. */
  requirePermission(
    decision: Decision,
    call: ToolCall,
    entry: ToolEntry,
    isContinued: boolean,
  ): Promise<Permission>;
}

interface Permission {
  readonly decision: Decision;
  /** What consent was given for. */
  readonly confirmed?: string;
}

const NO_ARGUMENTS: JsonObject = {};

export function createCallPolicy(policy: PolicyEngine): CallPolicy {
  // The same object for the same entry: decisions are remembered by it.
  const targets = new WeakMap<ToolEntry, PolicyTarget>();
  const decide: CallPolicy['decide'] = ({ agent, args = NO_ARGUMENTS }, entry) => {
    let target = targets.get(entry);
    if (target === undefined) targets.set(entry, (target = toTarget(entry, entry.tool)));
    return policy.decide({ agent, action: 'call', connector: entry.connector, target, args });
  };
  return {
    decide,
    async requirePermission(first, call, entry, isContinued) {
      // A call is made as the policy says now: after a wait for consent that may be something else than before.
      for (let decision = first; ; decision = decide(call, entry)) {
        if (decision.kind === 'allow') return { decision };
        if (decision.kind === 'deny')
          throw new HubError('policy_denied', `Policy denies this call: ${decision.reason}`, {
            details: { reason: decision.reason },
          });
        const { version } = policy;
        call.watch?.begins('confirmation');
        const confirmed = await requireConfirmation(policy, decision, call, entry, isContinued);
        if (policy.version === version) return { decision, confirmed };
        call.watch?.begins('policy');
      }
    },
  };
}

/** A tool as policies see it. */
export function toTarget({ connector }: CatalogEntry, tool: Tool): Extract<PolicyTarget, { kind: 'tool' }> {
  const tags = tagsOfTool(connector, tool.name);
  const annotations = flagsOf(tool);
  return { kind: 'tool', name: tool.name, risk: riskOf(annotations, tags), tags, annotations };
}

import type { CatalogEntry, ToolEntry } from '../catalog/index.js';
import { tagsOfTool } from '../connectors/index.js';
import { flagsOf, riskOf, type Decision, type PolicyEngine, type PolicyTarget } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Tool } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';
import { requireConfirmation } from './confirmation.js';
import type { FlowBook } from './flow-book.js';

/** What policies say to calls of tools. */
export interface CallPolicy {
  decide(
    call: Pick<ToolCall, 'agent' | 'args'>,
    entry: ToolEntry,
    seen: readonly string[] | undefined,
  ): Decision;
  /** For a call that is not simply allowed: asks for consent where that is enough, and throws where there is none. */
  requirePermission(
    first: Permission,
    call: ToolCall,
    entry: ToolEntry,
    isContinued: boolean,
  ): Promise<Permission>;
  /** The same after a wait in which policies, or what the conversation has used, may have changed. */
  renew(
    given: Permission & { readonly version: number; readonly hasLeftTags: boolean },
    call: ToolCall,
    entry: ToolEntry,
    isContinued: boolean,
  ): Promise<Permission>;
}

export interface Permission {
  readonly decision: Decision;
  /** What it was decided with; undefined where no policy looks back. */
  readonly seen: readonly string[] | undefined;
  /** What consent was given for. */
  readonly confirmed?: string | undefined;
}

const NO_ARGUMENTS: JsonObject = {};

export function createCallPolicy(policy: PolicyEngine, flows: Pick<FlowBook, 'seenBy'>): CallPolicy {
  // The same object for the same entry: decisions are remembered by it.
  const targets = new WeakMap<ToolEntry, PolicyTarget>();
  const decide: CallPolicy['decide'] = ({ agent, args = NO_ARGUMENTS }, entry, seen) => {
    let target = targets.get(entry);
    if (target === undefined) targets.set(entry, (target = toTarget(entry, entry.tool)));
    const question = { agent, action: 'call', connector: entry.connector, target, args } as const;
    return policy.decide(seen === undefined ? question : { ...question, seen });
  };
  const rules: CallPolicy = {
    decide,
    async renew(given, call, entry, isContinued) {
      const looking = flows.seenBy(call);
      const now = looking === undefined ? undefined : await looking;
      // Nothing is forbidden because of itself.
      const own = given.hasLeftTags ? tagsOfTool(entry.connector, entry.tool.name) : [];
      const seen = now?.filter((tag) => !own.includes(tag) || given.seen?.includes(tag) === true);
      // Always in the same order.
      if (given.version === policy.version && String(seen) === String(given.seen)) return given;
      return rules.requirePermission({ decision: decide(call, entry, seen), seen }, call, entry, isContinued);
    },
    async requirePermission(first, call, entry, isContinued) {
      let { decision, seen } = first;
      let consent: { readonly confirmed: string; readonly version: number; readonly to: string } | undefined;
      for (;;) {
        if (decision.kind === 'allow') return { decision, seen };
        if (decision.kind === 'deny') throw toDenial(decision, 'this call');
        if (consent?.version === policy.version && consent.to === decision.reason)
          return { decision, seen, confirmed: consent.confirmed };
        const { version, digest } = policy;
        // Where policies look back the same call may have to be confirmed for another reason than before.
        const asking = seen === undefined ? policy : { digest: `${digest}\n${decision.reason}` };
        call.watch?.begins('confirmation');
        const confirmed = await requireConfirmation(asking, decision, call, entry, isContinued);
        // A call is made as the policy says now: after a wait for consent that may be something else than before.
        const looking = flows.seenBy(call);
        if (policy.version === version && looking === undefined) return { decision, seen, confirmed };
        call.watch?.begins('policy');
        consent = { confirmed, version, to: decision.reason };
        seen = await looking;
        decision = decide(call, entry, seen);
      }
    },
  };
  return rules;
}

export function toDenial({ reason, isFlow = false }: Decision, what: 'this call' | 'this'): HubError {
  return new HubError(isFlow ? 'flow_denied' : 'policy_denied', `Policy denies ${what}: ${reason}`, {
    details: { reason },
  });
}

/** A tool as policies see it. */
export function toTarget({ connector }: CatalogEntry, tool: Tool): Extract<PolicyTarget, { kind: 'tool' }> {
  const tags = tagsOfTool(connector, tool.name);
  const annotations = flagsOf(tool);
  return { kind: 'tool', name: tool.name, risk: riskOf(annotations, tags), tags, annotations };
}

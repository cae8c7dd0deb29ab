import type { CatalogEntry, ToolEntry } from '../catalog/index.js';
import { tagsOfTool } from '../connectors/index.js';
import { flagsOf, riskOf, type Decision, type PolicyEngine, type PolicyTarget } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Tool } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';
import { requireConfirmation } from './confirmation.js';
import type { FlowBook } from './flow-book.js';
import type { Surfaces } from './surfaces.js';

/** What policies say to calls of tools. */
export interface CallPolicy {
  decide(
    call: Pick<ToolCall, 'agent' | 'args'>,
    entry: ToolEntry,
    seen: readonly string[] | undefined,
  ): Decision;
  /** For a call that is not simply allowed: asks for consent where that is enough, and throws where there is none. */
  requirePermission(first: Permission, call: ToolCall, isContinued: boolean): Promise<Permission>;
  /** The same after a wait in which policies, the tool, or what the conversation has used, may have changed. */
  renew(
    given: Permission & { readonly version: number; readonly hasLeftTags: boolean },
    call: ToolCall,
    isContinued: boolean,
  ): Promise<Permission>;
}

export interface Permission {
  /** The tool as it was when that was decided. */
  readonly entry: ToolEntry;
  readonly decision: Decision;
  /** What it was decided with; undefined where no policy looks back. */
  readonly seen: readonly string[] | undefined;
  /** What consent was given for. */
  readonly confirmed?: string | undefined;
}

const NO_ARGUMENTS: JsonObject = {};

export function createCallPolicy(
  policy: PolicyEngine,
  flows: Pick<FlowBook, 'seenBy'>,
  surfaces: Surfaces,
): CallPolicy {
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
    async renew(given, call, isContinued) {
      const looking = flows.seenBy(call);
      const now = looking === undefined ? undefined : await looking;
      const entry = findAgain(surfaces, call, given.entry);
      // Nothing is forbidden because of itself.
      const own = given.hasLeftTags ? tagsOfTool(entry.connector, entry.tool.name) : [];
      const seen = now?.filter((tag) => !own.includes(tag) || given.seen?.includes(tag) === true);
      const decision = decide(call, entry, seen);
      // Always in the same order.
      const isKnown = given.version === policy.version && String(seen) === String(given.seen);
      const { kind, reason } = given.decision;
      if (isKnown && decision.kind === kind && decision.reason === reason)
        return { ...given, entry, decision };
      return rules.requirePermission({ entry, decision, seen }, call, isContinued);
    },
    async requirePermission(first, call, isContinued) {
      let { entry, decision, seen } = first;
      let consent: { readonly confirmed: string; readonly version: number; readonly to: string } | undefined;
      for (;;) {
        if (decision.kind === 'allow') return { entry, decision, seen };
        if (decision.kind === 'deny') throw toDenial(decision, 'this call');
        if (consent?.version === policy.version && consent.to === decision.reason)
          return { entry, decision, seen, confirmed: consent.confirmed };
        const { version, digest } = policy;
        // Where policies look back the same call may have to be confirmed for another reason than before.
        const asking = seen === undefined ? policy : { digest: `${digest}\n${decision.reason}` };
        call.watch?.begins('confirmation');
        const confirmed = await requireConfirmation(asking, decision, call, entry, isContinued);
        // A call is made as the policy says now, of the tool as it is now: after a wait for consent either may be
        // something else than before.
        const looking = flows.seenBy(call);
        const seenNow = looking === undefined ? undefined : await looking;
        const now = findAgain(surfaces, call, entry);
        if (policy.version === version && looking === undefined && now === entry)
          return { entry, decision, seen, confirmed };
        call.watch?.begins('policy');
        consent = { confirmed, version, to: decision.reason };
        entry = now;
        seen = seenNow;
        decision = decide(call, entry, seen);
      }
    },
  };
  return rules;
}

export function findEntry(
  surfaces: Surfaces,
  { agent, scope, exposedName }: ToolCall,
): ToolEntry | undefined {
  return surfaces.surfaceFor(agent, scope).findTool(exposedName);
}

/** Whoever was waited for took their time: nothing is sent to a connector that was changed, switched off or removed since. */
function findAgain(surfaces: Surfaces, call: ToolCall, { connector }: ToolEntry): ToolEntry {
  const now = findEntry(surfaces, call);
  if (now === undefined) throw new HubError('unknown_tool', 'Unknown tool');
  if (now.connector !== connector)
    throw new HubError('upstream_closed', `connector ${connector.id} was changed meanwhile; call again`);
  return now;
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

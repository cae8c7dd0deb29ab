import type { Tool } from '../mcp/model/index.js';
import type { RiskClass, ToolFlags } from './policy.js';

/** What the upstream claims, with the specification's cautious defaults for what it does not say. */
export function flagsOf(tool: Tool): ToolFlags {
  const {
    readOnlyHint = false,
    destructiveHint = true,
    idempotentHint = false,
    openWorldHint = true,
  } = tool.annotations ?? {};
  return {
    readOnly: readOnlyHint,
    destructive: !readOnlyHint && destructiveHint,
    idempotent: idempotentHint,
    openWorld: openWorldHint,
  };
}

/** A tag `risk:…` of the operator wins over what the upstream claims. */
export function riskOf(flags: ToolFlags, tags: readonly string[]): RiskClass {
  for (const risk of ['destructive', 'write', 'read'] as const)
    if (tags.includes(`risk:${risk}`)) return risk;
  if (flags.readOnly) return 'read';
  return flags.destructive ? 'destructive' : 'write';
}

import type { AgentId, ConnectorId, PolicyId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';

/** A question put to the policies. */
export interface PolicyQuestion {
  readonly agent: {
    readonly id: AgentId;
    readonly tags: readonly string[];
    /** Of the access token; absent where it calls with a key. */
    readonly scopes?: readonly string[];
  };
  readonly action: 'list' | 'call' | 'read' | 'get';
  readonly connector: { readonly id: ConnectorId; readonly tags: readonly string[] };
  readonly target: PolicyTarget;
  /** Only for calls; a listing is decided without. */
  readonly args?: JsonObject;
}

export type PolicyTarget =
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly risk: RiskClass;
      readonly tags: readonly string[];
      readonly annotations: ToolFlags;
    }
  | { readonly kind: 'prompt'; readonly name: string }
  | { readonly kind: 'resource'; readonly uri: string };

/** What an upstream claims of a tool, with the specification's defaults filled in. */
export interface ToolFlags {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** From the annotations an upstream claims and the tags an operator sets; the operator's word wins. */
export type RiskClass = 'read' | 'write' | 'destructive';

/** Deny wins; no match is deny; a policy that fails to evaluate counts as a denial. */
export interface Decision {
  readonly kind: 'allow' | 'deny' | 'confirm';
  readonly policies: readonly string[];
  readonly reason: string;
}

/** One policy document, in Cedar. */
export interface Policy {
  readonly id: PolicyId;
  readonly text: string;
  readonly source: 'file' | 'stored' | 'built_in';
  readonly version: number;
  readonly updatedAt: number;
}

export interface PolicyReader {
  list(): Promise<readonly Policy[]>;
  find(id: PolicyId): Promise<Policy | undefined>;
}

export interface PolicyStore extends PolicyReader {
  add(policy: Policy): Promise<void>;
  replace(policy: Policy, expectedVersion: number): Promise<void>;
  remove(id: PolicyId): Promise<void>;
}

export interface PolicyEngine {
  /** Grows with every accepted change; part of cache keys. */
  readonly version: number;
  decide(question: PolicyQuestion): Decision;
  /** Checks the whole set and puts it in force, or throws `config_invalid` and changes nothing. */
  load(policies: readonly Policy[]): void;
}

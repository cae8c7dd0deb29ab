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
  /** Tags of what was used before in the same conversation. Without it whatever asks for them denies. */
  readonly seen?: readonly string[];
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
  /** Of a denial: whether it comes of what was used before in the same conversation, or was not. */
  readonly isFlow?: boolean;
  /** Of a denial: whether that is one reason besides others. */
  readonly isPartlyFlow?: boolean;
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

/** What a policy said at a time. */
export interface PolicyVersion {
  readonly policy: PolicyId;
  readonly version: number;
  readonly at: number;
  /** The admin who saved it; undefined where that was not kept. */
  readonly by: string | undefined;
  /** Undefined: it was removed then. */
  readonly text: string | undefined;
}

/** What policies said before. Of each the newest versions are kept, and of the removed ones the newest. */
export interface PolicyHistory {
  /** Newest first. */
  versions(
    id: PolicyId,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly PolicyVersion[]>;
  findVersion(id: PolicyId, version: number): Promise<PolicyVersion | undefined>;
  /** The removals of those that did not come back, newest first. */
  removed(): Promise<readonly PolicyVersion[]>;
}

/** Every change is kept as a version, together with the change or not at all. */
export interface PolicyStore extends PolicyReader, PolicyHistory {
  add(policy: Policy, by?: string): Promise<void>;
  replace(policy: Policy, expectedVersion: number, by?: string): Promise<void>;
  remove(id: PolicyId, removal: { readonly at: number; readonly by?: string }): Promise<void>;
}

/**
 * Remembers which set of policies was accepted last, from one start to the next: reading policies is a large part of a start,
 * and the library that does it a large part of the memory of a hub that nobody calls. Who could forge this could only spare
 * policies the check against the schema; what they say is read from their text in any case.
 */
export interface AcceptedPolicies {
  /** Names a set by its content and by what judged it. */
  isKnown(digest: string): boolean;
  remember(digest: string): void;
}

export interface PolicyEngine {
  /** Grows with every accepted change; part of cache keys. */
  readonly version: number;
  /** Of what the policies in force say: the same in every process and after every start that has the same ones. */
  readonly digest: string;
  /** Whether any policy in force asks what was used before. While none does, nobody has to know. */
  readonly looksBack: boolean;
  decide(question: PolicyQuestion): Decision;
  /** Checks the whole set and puts it in force, or throws `config_invalid` and changes nothing. */
  load(policies: readonly Policy[]): void;
  /** The same for while others wait: checks in turns with them. What it answers puts the set in force. */
  prepare(policies: readonly Policy[]): Promise<() => void>;
}

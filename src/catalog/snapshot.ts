import type { AgentId, ConnectorId } from '../kernel/index.js';
import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from '../mcp/model/index.js';

/** What a connector offered at one moment. Never changed, only replaced. */
export interface Snapshot {
  readonly connectorId: ConnectorId;
  readonly takenAt: number;
  /** Of everything offered, so that an unchanged upstream is recognised. */
  readonly hash: string;
  readonly upstream: UpstreamIdentity;
  /** Whose account listed it. The definitions are shown to every agent whom policy permits them; calls need an account of their own. */
  readonly listedAs: 'anonymous' | 'shared' | AgentId;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly rejected: readonly RejectedOffer[];
  /** Digests of tools as they were accepted, where they are held back or gone now. */
  readonly held?: readonly HeldTool[];
  /** For how long each list may be kept, where the upstream says so. */
  readonly ttls?: ListTtls;
  /** Under which names tools and prompts are offered. Kept, so that a name once given stays. */
  readonly names: ExposedNames;
}

/** In milliseconds. */
export type ListTtls = Readonly<Partial<Record<'tools' | 'prompts' | 'resources' | 'templates', number>>>;

/** Pairs of upstream name and exposed name. */
export interface ExposedNames {
  readonly tools: readonly NamePair[];
  readonly prompts: readonly NamePair[];
}
export type NamePair = readonly [upstreamName: string, exposedName: string];

export interface UpstreamIdentity {
  readonly info: Implementation;
  readonly era: string;
  readonly revision: string;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** A tool's name at its upstream, and the digest of what was accepted under it. */
export type HeldTool = readonly [name: string, digest: string];

/** A definition that was set aside, and why. */
export interface RejectedOffer {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  readonly name: string;
  readonly reason: string;
}

export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface SnapshotReader {
  latest(connector: ConnectorId): Promise<Snapshot | undefined>;
  latestOfAll(): Promise<readonly Snapshot[]>;
  history(
    connector: ConnectorId,
    limit: number,
  ): Promise<readonly { readonly takenAt: number; readonly hash: string; readonly diff: SnapshotDiff }[]>;
}

export interface SnapshotStore extends SnapshotReader {
  /** The new one and its difference to the one before, or neither. */
  save(snapshot: Snapshot, diff: SnapshotDiff): Promise<void>;
  removeAllFor(connector: ConnectorId): Promise<void>;
}

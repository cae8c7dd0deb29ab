import type { Snapshot, UpstreamIdentity } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import type { AgentId, ConnectorId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { CallResult, LogLevel, LogMessage, Progress } from '../mcp/model/index.js';

/** On whose behalf an upstream is used; decides, with the connector's isolation, whose upstream session it is. */
export interface Caller {
  readonly principal: AgentId | 'hub';
  /** The caller's own conversation with us, where it has one. */
  readonly session?: string;
  /** Ends the wait for a turn. */
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamOptions {
  /** Read only where somebody has to wait when there is `onAbort`: making one costs something. */
  readonly signal?: AbortSignal;
  /** Takes a listener and calls it once when the caller gives up, at once if it has already. */
  readonly onAbort?: (listener: () => void) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onLog?: (message: LogMessage) => void;
  readonly logLevel?: LogLevel;
  /** Vendor keys and trace context of the caller's `_meta`. */
  readonly meta?: JsonObject;
}

/** One conversation with an upstream. Failures are `HubError`s; an error the upstream itself answered is `upstream_rejected`. */
export interface Upstream {
  readonly identity: UpstreamIdentity;
  callTool(name: string, args: JsonObject | undefined, options: UpstreamOptions): Promise<CallResult>;
  getPrompt(name: string, args: JsonObject | undefined, options: UpstreamOptions): Promise<JsonObject>;
  readResource(uri: string, options: UpstreamOptions): Promise<JsonObject>;
  complete(params: JsonObject, options: UpstreamOptions): Promise<JsonObject>;
  /** Everything on offer, all pages. */
  listOffers(options: {
    readonly signal?: AbortSignal;
  }): Promise<Pick<Snapshot, 'tools' | 'prompts' | 'resources' | 'templates' | 'rejected'>>;
}

export interface Upstreams {
  /** Waits for its turn where the connector's limits say so. Whoever opens must release. */
  open(connector: Connector, access: Access, caller: Caller): Lease | Promise<Lease>;
  /** Ends the conversations of a connector, e.g. because it changed. */
  drop(connector: string): Promise<void>;
  /** Throws unless something alive answers. A process that sleeps until it is needed counts as alive. */
  probe(connector: Connector, timeoutMs: number): Promise<void>;
  /** What the process behind a stdio connector complained of last. */
  recentStderr(connector: ConnectorId): readonly string[];
  close(): Promise<void>;
}

export interface Lease {
  readonly upstream: Upstream;
  release(): void;
}

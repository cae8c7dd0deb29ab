import type { Snapshot, UpstreamIdentity } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import type { AgentId, ConnectorId, HubError } from '../kernel/index.js';
import type { SentRequest } from '../mcp/client/index.js';
import type { JsonObject, ProtocolError } from '../mcp/jsonrpc/index.js';
import type {
  CallResult,
  ClientCapabilities,
  InputRequest,
  InputRequests,
  InputRefusals,
  InputResponses,
  LogLevel,
  LogMessage,
  Progress,
  Task,
  TaskState,
} from '../mcp/model/index.js';
import type { BrokenPin } from '../mcp/transports/index.js';
import type { AskProfile } from './ask-profile.js';
import type { ResourceWatcher } from './watched-resources.js';

/** On whose behalf an upstream is used; decides, with the connector's isolation, whose upstream session it is. */
export interface Caller {
  readonly principal: AgentId | 'hub';
  /** The caller's own conversation with us, where it has one. */
  readonly session?: string | undefined;
  /** What it can be asked while its calls run; undefined: nothing. */
  readonly asks?: AskProfile | undefined;
  /** Ends the wait for a turn; not looked at where there is `onAbort`. */
  readonly signal?: AbortSignal | undefined;
  /** Takes a listener and calls it once when the caller gives up, at once if it has already. */
  readonly onAbort?: ((listener: () => void) => void) | undefined;
  /** Knows that the upstream is in trouble, and wants it tried all the same. */
  readonly insists?: boolean | undefined;
}

/** For whom a resource is watched. */
export interface Watching extends Pick<Caller, 'session' | 'asks'> {
  readonly principal: AgentId;
}

/** Something that people want to know about an upstream, when it happens. */
export type UpstreamChange =
  | {
      readonly type: 'breaker_opened';
      readonly connector: Connector;
      readonly failures: number;
      readonly reason: string;
    }
  | { readonly type: 'breaker_closed'; readonly connector: Connector; readonly openMs: number }
  | { readonly type: 'process_failed'; readonly connector: Connector; readonly reason: string }
  | {
      readonly type: 'pin_broken';
      readonly connector: Connector;
      readonly pin: BrokenPin;
      readonly reason: string;
    }
  | { readonly type: 'process_recovered'; readonly connector: Connector };

/** How an upstream is used at the moment. */
export interface UpstreamState {
  /** Open: nothing is sent, except one attempt from time to time. */
  readonly breaker: 'closed' | 'open';
  /** In a row. */
  readonly failures: number;
  readonly retryAfterMs: number;
  readonly running: number;
  readonly waiting: number;
  readonly conversations: number;
}

/**
 * Puts a question of the upstream to whoever is behind a caller. Undefined where they cannot be asked or would not
 * answer; then the upstream is told so in the way its question allows. `onRefused` hears the error of a client that
 * answers with one.
 */
export type AskCaller = (
  question: InputRequest,
  signal: AbortSignal,
  onRefused?: (refusal: ProtocolError) => void,
) => Promise<JsonObject | undefined>;

export interface UpstreamOptions {
  /** Read only where somebody has to wait when there is `onAbort`: making one costs something. */
  readonly signal?: AbortSignal;
  /** Takes a listener and calls it once when the caller gives up, with its reason, at once if it has already. */
  readonly onAbort?: (listener: (reason?: string) => void) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onLog?: (message: LogMessage) => void;
  readonly logLevel?: LogLevel;
  /** Vendor keys and trace context of the caller's `_meta`. */
  readonly meta?: JsonObject;
  /** Answers what the upstream asks while the call runs. Without it nothing can be asked. */
  readonly ask?: AskCaller;
  /** Whose call it is, so that a log message about somebody else's is not told to it. */
  readonly caller?: string;
  /** Tells who can be asked, so that a question is not taken for one to somebody else. */
  readonly askedAs?: string;
  /** What may be asked, for upstreams that are told with each request. */
  readonly capabilities?: ClientCapabilities;
  /** Hears that a page which the caller was sent to was visited, also after the call. */
  readonly onVisited?: (elicitationId: string) => void;
  /** Hears how the request stands on the wire, for records of it. */
  readonly onSent?: (sent: SentRequest) => void;
  /** Makes a task of the call at upstreams that leave that to the caller. */
  readonly asTask?: { readonly ttlMs?: number } | undefined;
  /** Upstreams that decide about tasks themselves are not told that the hub can follow them. */
  readonly withoutTasks?: boolean | undefined;
}

/** What the caller gave for the questions of the round before, and what the upstream gave it to bring back. */
export interface RoundOptions extends UpstreamOptions {
  readonly inputResponses?: InputResponses | undefined;
  readonly requestState?: string | undefined;
  /** Whether a task is handed over. Otherwise its end is waited for. */
  readonly takesTask?: boolean | undefined;
}

/** A call of a caller who answers by calling again: its result, or what has to be answered first. */
export type Round =
  | { readonly result: JsonObject }
  | { readonly task: Task }
  | { readonly requests: InputRequests; readonly requestState: string | undefined };

/** A task at the upstream. Failures are as everywhere; what the task itself failed with is in its state. */
export interface UpstreamTask {
  /** Whether it waits for answers that can be given in this conversation only. */
  readonly asks: boolean;
  get(options: UpstreamOptions): Promise<TaskState>;
  /** By the keys of the questions. */
  update(responses: InputResponses, options: UpstreamOptions, refusals?: InputRefusals): Promise<void>;
  cancel(options: UpstreamOptions): Promise<void>;
  /** Nobody wants to know any more; the task goes on. */
  close(): void;
}

/** One conversation with an upstream. Failures are `HubError`s; an error the upstream itself answered is `upstream_rejected`. */
export interface Upstream {
  readonly identity: UpstreamIdentity;
  callTool(name: string, args: JsonObject | undefined, options: UpstreamOptions): Promise<CallResult>;
  /** The same for a caller who can follow a task: its handle, where the upstream makes one of the call. */
  startTool(
    name: string,
    args: JsonObject | undefined,
    options: UpstreamOptions,
  ): Promise<{ readonly result: CallResult } | { readonly task: Task }>;
  /** Hears once that a page was visited. The returned function ends the wait. */
  onVisited(elicitationId: string, listener: () => void): () => void;
  /** A task that this upstream was asked for before, in whichever conversation. */
  followTask(taskId: string): UpstreamTask;
  getPrompt(name: string, args: JsonObject | undefined, options: UpstreamOptions): Promise<JsonObject>;
  readResource(uri: string, options: UpstreamOptions): Promise<JsonObject>;
  /** One round of a call. Questions that cannot wait for the next one go to `ask`. */
  round(method: string, params: JsonObject, options: RoundOptions): Promise<Round>;
  complete(params: JsonObject, options: UpstreamOptions): Promise<JsonObject>;
  /** Any method, as it is. Not repeated. */
  request(method: string, params: JsonObject, options: UpstreamOptions): Promise<JsonObject>;
  /** Everything on offer, all pages. */
  listOffers(options: { readonly signal?: AbortSignal }): Promise<ListedOffers>;
}

/** Lists without which the others are still of use. */
export type SideList = 'prompts' | 'resources' | 'templates';

export interface ListedOffers extends Pick<
  Snapshot,
  'tools' | 'prompts' | 'resources' | 'templates' | 'rejected' | 'ttls'
> {
  /** Lists that the upstream should have and answered with an error; they are empty here, and `rejected` says why. */
  readonly refused: readonly { readonly list: SideList; readonly failure: HubError }[];
}

export interface Upstreams {
  /** Throws `overloaded` if a call would be turned away at once, before anything is done for it. */
  requireRoom(connector: Connector, principal: string): void;
  /** Waits for its turn where the connector's limits say so. Whoever opens must release. */
  open(connector: Connector, access: Access, caller: Caller): Lease | Promise<Lease>;
  /**
   * Hears of changes of one resource until the returned function is called, or `lost`. Many who watch the same with the
   * same credential are one to the upstream.
   */
  watch(
    connector: Connector,
    access: Access,
    caller: Watching,
    uri: string,
    watcher: ResourceWatcher,
  ): Promise<() => void>;
  /** Agents that have conversations of their own. */
  owners(): ReadonlySet<AgentId>;
  /** An agent is no more, or one session of its clients, and so are the conversations that were its own. */
  endAllOf(owner: AgentId, session?: string): void;
  /** A connector is another one by now: its conversations take nobody any more, and end with the last call in them. */
  retire(connector: string): void;
  /** Ends the conversations of a connector, whoever is in them: it is no more, or what it was let in with. */
  drop(connector: string): Promise<void>;
  /** Throws unless something alive answers. A process that sleeps until it is needed counts as alive. */
  probe(connector: Connector, timeoutMs: number): Promise<void>;
  stateOf(connector: ConnectorId): UpstreamState;
  /** What the process behind a stdio connector complained of last. */
  recentStderr(connector: ConnectorId): readonly string[];
  close(): Promise<void>;
}

export interface Lease {
  readonly upstream: Upstream;
  /** Lets others have the turn while somebody thinks; the turn is taken back without waiting. */
  rest<Result>(work: () => Promise<Result>): Promise<Result>;
  release(): void;
}

import type { Json, JsonObject, ProtocolError, RequestId } from '../jsonrpc/index.js';
import type {
  ChangeNotification,
  ClientCapabilities,
  ClientDescription,
  InputRequests,
  InputResponses,
  LogLevel,
  LogMessage,
  Progress,
  SubscriptionFilter,
  Task,
  TaskWish,
} from '../model/index.js';

/** A request as handlers see it: whoever sent it, over whatever revision. */
export interface McpRequest {
  readonly method: string;
  /** As sent, without the members of `_meta` that belong to the hop. */
  readonly params: JsonObject;
  /** Whom the request was authenticated as. */
  readonly principal: string;
  /** What the client told of itself for this request. */
  readonly client: ClientDescription;
  /** Names the client's session among those of its principal; undefined where there is none. */
  readonly session: string | undefined;
  /** Whether `askClient` waits for the client within this run. Elsewhere the answers come with the next one. */
  readonly asksLive: boolean;
  /** Aborted when the client cancels or goes away for good. */
  readonly signal: AbortSignal;
  /**
   * The same as a call, at once if it is so already; costs less than a signal. Of several listeners each is called, with
   * what the client gave as its reason.
   */
  onAbort(listener: (reason?: string) => void): void;
  /** How the client takes a task as the answer of this call; undefined: not at all. */
  readonly tasks: TaskWish | undefined;
  /** Present when this run continues a request that returned `InputRequired`. */
  readonly resumed: ResumedRequest | undefined;
  /** From which level on the client wants to see log messages; undefined: none. */
  readonly logLevel: LogLevel | undefined;
  /** Whether the client asked to hear of progress. */
  readonly wantsProgress: boolean;
  /** Dropped unless asked for and greater than the last one. */
  progress(update: Progress): void;
  /** Dropped unless the client asked for this level. */
  log(message: LogMessage): void;
  /**
   * Asks the client and waits for all answers. The protocol may need the handler to run again from its first line to
   * deliver them; questions already answered then return at once. So ask before acting, with keys that stay the same.
   * Where the client is asked live, `withdrawn` takes the questions back.
   */
  askClient(requests: InputRequests, withdrawn?: AbortSignal, onRefused?: OnRefused): Promise<InputResponses>;
  /** Tells that a page which the client was sent to was visited, also after the answer, where its era has a way to say so. */
  tellVisited(elicitationId: string): void;
  /** How it stands on the wire, for records of it: nothing is decided by these. */
  readonly id: RequestId;
  readonly revision: string;
  /** The code that the client is told where a handler throws this; undefined where it is answered otherwise. */
  errorCodeOf(thrown: unknown): number | undefined;
}

/** Hears the error with which a client refuses a question that it is asked live. */
export type OnRefused = (refusal: ProtocolError) => void;

/** What the client answered to `InputRequired`. */
export interface ResumedRequest {
  readonly responses: InputResponses;
  /** What the handler put into `InputRequired.state`, unaltered: it was sealed in between. */
  readonly state: Json | undefined;
}

/**
 * Returned (or thrown) by a handler that cannot go on without the client. The client's answers arrive in
 * `McpRequest.resumed` of the next run. Without requests it means: try again shortly.
 */
export class InputRequired {
  readonly requests: InputRequests;
  readonly state: Json | undefined;
  constructor(requests: InputRequests, state?: Json) {
    this.requests = requests;
    this.state = state;
  }
}

/** Returned (or thrown) by a handler whose work goes on: the client gets a handle, and asks `ServerOptions.tasks` with it. */
export class TaskCreated {
  readonly task: Task;
  constructor(task: Task) {
    this.task = task;
  }
}

/** What a client sees of a failure: a JSON-RPC error, or a result that says so. */
export type Face =
  | { readonly error: ProtocolError; readonly refusal?: Refusal | undefined }
  | { readonly result: JsonObject };

/** Nothing was done, and later it may be: over HTTP the status says so too, where one can still be chosen. */
export interface Refusal {
  readonly status: 429 | 503;
  readonly retryAfterMs: number;
}

/** Thrown by handlers for failures that clients of the two eras are used to see differently. */
export class FacedError extends Error {
  override readonly name = 'FacedError';
  readonly modern: Face;
  readonly legacy: Face;
  constructor(faces: { readonly modern: Face; readonly legacy: Face }) {
    super('error' in faces.modern ? faces.modern.error.message : 'the request failed');
    this.modern = faces.modern;
    this.legacy = faces.legacy;
  }
}

/** A result that is sent many times: it is serialised once per wire form. Made by `prepareResult`. */
export class PreparedResult {
  readonly result: JsonObject;
  /** Filled by the server; keys are private to it. */
  readonly texts = new Map<string, string | Uint8Array>();
  constructor(result: JsonObject) {
    this.result = result;
  }
}

/** A plain result, one that is serialised already, questions to the client, or a task. */
export type HandlerResult = JsonObject | PreparedResult | InputRequired | TaskCreated;
/** Answers one method. */
export type Handler = (request: McpRequest) => HandlerResult | Promise<HandlerResult>;

/** A client that wants to hear of changes. */
export interface ListenRequest {
  readonly principal: string;
  /** As in `McpRequest`. */
  readonly session?: string;
  /** What the client told of itself. */
  readonly capabilities?: ClientCapabilities;
  readonly filter: SubscriptionFilter;
  /** Calls after `close` are ignored. */
  readonly emit: (notification: ChangeNotification) => void;
}

/** What `listen` returns: it lasts until `close`. */
export interface Subscription {
  /** The part of the filter that is served. */
  readonly honoured: SubscriptionFilter;
  close(): void;
}
/** How the server hears of changes: once per listening client or per subscribed resource of an older client. */
export type Listen = (request: ListenRequest) => Subscription | Promise<Subscription>;

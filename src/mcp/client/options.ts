import type { JsonObject, NotificationMessage, RequestId } from '../jsonrpc/index.js';
import type {
  ClientCapabilities,
  Implementation,
  InputRequest,
  LogLevel,
  LogMessage,
  Progress,
} from '../model/index.js';
import type { Transport, TransportWarning } from '../transports/index.js';
import type { Era, Revision } from '../wire/index.js';
import type { Clock } from './clock.js';
import type { EraVerdicts } from './era-verdicts.js';

/** A request of ours that is under way, as handlers and hooks see it. */
export interface OngoingCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** Whatever the caller gave in `RequestOptions.tag`. */
  readonly tag: unknown;
  readonly caller: string | undefined;
}

/** What a handler is told beside the question. */
export interface InputContext {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** The call of ours that the peer asks about; undefined where that cannot be told. */
  readonly during: OngoingCall | undefined;
  /** The calls under way that it may belong to: `during` alone where that is known. */
  readonly candidates: readonly OngoingCall[];
  /** Where `during` is not known: calls given up a short while ago, which the peer may still be asking about; without params. */
  readonly abandoned: readonly OngoingCall[];
}

/** Answers one request of the server with the bare result. Throws `InputRefused` when the user says no. */
export type InputHandler = (request: InputRequest, context: InputContext) => JsonObject | Promise<JsonObject>;

/** Who answers what a server asks. Unless `capabilities` says otherwise, what has no handler is not declared. */
export interface InputHandlers {
  readonly elicitation?: InputHandler;
  readonly sampling?: InputHandler;
  readonly roots?: InputHandler;
}

/** Thrown by a handler: whoever was asked does not want to. */
export class InputRefused extends Error {
  override readonly name = 'InputRefused';
}

/** In milliseconds. */
export interface Timeouts {
  /** For one answer; progress starts it anew. */
  readonly requestMs: number;
  /** For one answer, whatever progress says. */
  readonly totalMs: number;
  /** How long a process may be silent before it counts as legacy. */
  readonly probeMs: number;
  /** For one answer of a handler. While handlers work for a call it does not grow older, for this long at most. */
  readonly inputMs: number;
  /** For a task from its handle to its end. */
  readonly taskMs: number;
}

/** What counts where `timeouts` leaves a time out. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  requestMs: 30_000,
  totalMs: 120_000,
  probeMs: 3_000,
  inputMs: 600_000,
  taskMs: 600_000,
};

/** Called for what arrives unasked. They may not throw; what they throw is reported as a warning. */
export interface ClientHooks {
  readonly onNotification?: (notification: NotificationMessage, during: OngoingCall | undefined) => void;
  readonly onListChanged?: (list: 'tools' | 'prompts' | 'resources') => void;
  readonly onResourceUpdated?: (uri: string) => void;
  readonly onLog?: (message: LogMessage, during: OngoingCall | undefined) => void;
  readonly onWarning?: (warning: ClientWarning) => void;
}

/** Something that was wrong and did not stop anything. */
export interface ClientWarning {
  readonly code:
    | TransportWarning['code']
    | 'unknown_answer'
    | 'hook_failed'
    | 'answer_not_delivered'
    | 'refused_request'
    /** The server answers as one of the other era does. Whoever connects anew finds out. */
    | 'other_era';
  readonly message: string;
  /** What the server asked for that it was never told it may. */
  readonly method?: string;
}

/** What holds for the whole of a connection. */
export interface ClientOptions extends ClientHooks {
  readonly info: Implementation;
  /** Where not given, the handlers decide: forms, sampling, roots, each when there is a handler. */
  readonly capabilities?: ClientCapabilities;
  /** Modern era: what to declare with requests that do not say so themselves, instead of `capabilities`. */
  readonly requestCapabilities?: ClientCapabilities;
  readonly handlers?: InputHandlers;
  /** Declares the tasks extension to servers that offer it, whatever capabilities a request names. */
  readonly tasks?: boolean;
  /** `auto` asks the server; a revision allows that one only. */
  readonly era?: 'auto' | Era | Revision;
  readonly timeouts?: Partial<Timeouts>;
  readonly verdicts?: EraVerdicts;
  /** Names the server in `verdicts`. Known for `url` and `command`. */
  readonly verdictKey?: string;
  /** Kept between connections to one server. */
  readonly standingStream?: StandingStream;
  /** Finds the input schema of a tool before this client has listed any: some arguments travel as headers too. */
  readonly knownSchema?: KnownSchema;
  /** Whether prompts, resources and completions are asked for once more if the answer is lost. True unless said otherwise. */
  readonly repeatReads?: boolean;
  /** Most pages of one list. */
  readonly maxPages?: number;
  /** Whether accepted forms get the defaults of the fields left out. True unless said otherwise. */
  readonly formDefaults?: boolean;
  readonly clock?: Clock;
  /** 0 to 1, for jitter. */
  readonly random?: () => number;
  readonly signal?: AbortSignal;
}

/** What was found out about the stream on which a legacy server sends what belongs to no request. */
export interface StandingStream {
  /** The server opens it only when it has something to say, so that there is no use in waiting for it. */
  isLate: boolean;
}

/** The input schema of a tool, where the caller has it: arguments that are repeated in headers are found there. */
export type KnownSchema = (tool: string) => JsonObject | undefined;

/** A factory makes a fresh transport whenever one is needed: probing a process, starting a crashed one anew. */
export type TransportSource = Transport | (() => Transport);

/** For one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /**
   * For callers that learn of an abort in a cheaper way than by a signal: takes a listener and calls it once, at once if
   * it is too late already. `signal` is then read only where something waits between two requests.
   */
  readonly onAbort?: (listener: (reason?: string) => void) => void;
  readonly timeoutMs?: number;
  readonly totalMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly onLog?: (message: LogMessage) => void;
  /** Modern servers send log messages only to requests that name a level. */
  readonly logLevel?: LogLevel;
  /** Further keys of `_meta`. */
  readonly meta?: JsonObject;
  /** Modern era: what to declare for this request instead of the client's own capabilities. */
  readonly capabilities?: ClientCapabilities;
  /** Handed to handlers and hooks in `OngoingCall`. */
  readonly tag?: unknown;
  /** Where several share a client, whose request it is: what may be about another's is not told to it. */
  readonly caller?: string;
  /** Hears how the request stands on the wire, each time that it is sent. */
  readonly onSent?: (sent: SentRequest) => void;
}

/** For records of a request; nothing is decided by it. */
export interface SentRequest {
  readonly id: RequestId;
  readonly revision: string;
}

/** For one call of a tool. */
export interface CallOptions extends RequestOptions {
  /** Legacy servers leave it to the client whether a call becomes a task. Modern ones decide themselves. */
  readonly asTask?: { readonly ttlMs?: number } | undefined;
  /** Modern era: leaves the tasks extension undeclared although the client follows tasks, for callers that want to hear what the server then says. */
  readonly withoutTasks?: boolean | undefined;
  /** Answers what the server asks in the course of this call, instead of the client's handlers. */
  readonly onInput?: InputHandler;
}

/** For a call whose rounds the caller makes itself: the answers, and the state that came with the questions. */
export interface RawCallOptions extends CallOptions {
  readonly inputResponses?: Readonly<Record<string, JsonObject>>;
  readonly requestState?: string;
}

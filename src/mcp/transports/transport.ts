import type { Message, RequestId } from '../jsonrpc/index.js';
import type { ProgressRead } from './read-progress.js';

/**
 * Moves JSON-RPC messages to one peer and back. It knows requests from notifications, because HTTP answers them
 * differently, and nothing of what they mean.
 */
export interface Transport {
  /** Whether messages travel as HTTP requests, so that header rules apply and closing a stream is a signal. */
  readonly carriesHeaders: boolean;
  /** Connects or spawns. Resolves when messages can be sent; called once. */
  start(receiver: Receiver): Promise<void>;
  /**
   * For a request over HTTP: settles when its exchange is over, which is after its answer was handed to the receiver.
   * Rejects with `TransportError` when the message could not be delivered or its answer can no longer arrive.
   */
  send(message: Outgoing): Promise<void>;
  /**
   * Closes the exchange of a request that is under way, where requests have one; its `send` rejects with `ABORTED`. The
   * same as aborting its signal, without the cost of a signal for every call.
   */
  abort?(id: RequestId): void;
  /** From now on sent as the `MCP-Protocol-Version` header, where there are headers. */
  setRevision(revision: string): void;
  /**
   * Opens the standing stream for messages that belong to no request, where the peer offers one. Idempotent. Resolves
   * when it is open (true), refused or given up; undefined where there is nothing to wait for.
   */
  openServerStream(): Promise<boolean> | undefined;
  /** Ends the peer's session if there is one, then the connection or process. May be called twice. */
  close(): Promise<void>;
}

/** A message to be sent. */
export interface Outgoing {
  /** The message, serialised. */
  readonly text: string;
  readonly method: string | undefined;
  /** Present when an answer is expected. */
  readonly id?: RequestId;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a stream that stays open: the total time limit does not apply and longer silence is allowed. */
  readonly standing?: boolean;
  /** Aborting closes the exchange. Over stdio it has no effect once the line is written. */
  readonly signal?: AbortSignal;
}

/** Who hears what arrives. */
export interface Receiver {
  /**
   * `during` is the id of our request on whose stream the message came; undefined on shared channels. `status` is given
   * when the message is the body of an HTTP answer that is not 2xx: the era of a server shows in it.
   */
  message(message: Message, during: RequestId | undefined, status?: number): void;
  /**
   * On a channel that all requests share came what would be the answer to this one if it were a message. Without this
   * method, whoever waits for it waits until the time is up.
   */
  badAnswer?(id: RequestId): void;
  /** A progress notification that needed no parser, valid during the call; without this method it comes as a message. */
  progress?(progress: ProgressRead, during: RequestId): void;
  /**
   * Whether nobody wants the log messages that come with the answer to this request, or on a shared channel: they need
   * not be read then.
   */
  ignoresLog?(during: RequestId | undefined): boolean;
  /** The peer forgot the session, as its standing stream shows. Requests learn that by their own errors. */
  sessionLost?(): void;
  /** The peer is gone: nothing more will arrive. Called at most once, not after `close()`. */
  closed(reason: TransportError): void;
  /** Something was odd but survivable: a skipped line, an unknown id. For counters and logs; holds no payload. */
  warn(warning: TransportWarning): void;
}

/** Something that was wrong and did not stop anything. */
export interface TransportWarning {
  readonly code:
    | 'not_json'
    | 'not_jsonrpc'
    | 'wrong_content_type'
    | 'wrong_id_type'
    | 'stderr'
    | 'server_stream_failed';
  readonly message: string;
}

/** What went wrong. The list is closed; messages may change, codes do not. */
export type TransportErrorCode =
  | 'CONNECT_FAILED'
  | 'CONNECTION_CLOSED'
  | 'EGRESS_DENIED'
  | 'TIMEOUT_CONNECT'
  | 'TIMEOUT_FIRST_BYTE'
  | 'TIMEOUT_IDLE'
  | 'TIMEOUT_TOTAL'
  | 'ABORTED'
  | 'HTTP_STATUS'
  | 'HTTP_UNAUTHORIZED'
  | 'HTTP_FORBIDDEN'
  | 'HTTP_NOT_ACCEPTABLE'
  | 'HTTP_REDIRECT'
  | 'HTTP_SESSION_REQUIRED'
  | 'HTTP_WRONG_CONTENT_TYPE'
  | 'HTTP_EMPTY_BODY'
  | 'HTTP_BODY_TOO_LARGE'
  | 'HTTP_INVALID_BODY'
  | 'SSE_EVENT_DATA_TOO_LARGE'
  | 'SSE_STREAM_TOO_LARGE'
  | 'INVALID_SSE_EVENT_DATA'
  | 'SSE_STREAM_LOST'
  | 'MCP_SESSION_NOT_FOUND'
  | 'STDIO_SPAWN_FAILED'
  | 'STDIO_PIN_BROKEN'
  | 'STDIO_EXITED'
  | 'STDIO_LINE_TOO_LONG'
  | 'STDIO_STDIN_FULL'
  | 'STDIO_OVER_LIMIT';

/** What is known beside the code. */
export interface TransportErrorDetails {
  readonly status?: number;
  /** The `WWW-Authenticate` challenge of a 401 or 403. */
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  readonly exitCode?: number;
  /** Why a process did not start. Names nothing that it was to be given but a variable that is refused. */
  readonly why?: string;
  readonly cause?: unknown;
  /** Whether the peer may have begun to act on the message. False only when it certainly has not. */
  readonly mayHaveArrived?: boolean;
}

/**
 * A fault on our side of the wire or of the wire itself. Never an answer of the peer. Neither session ids nor
 * headers nor bodies appear in it.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;
  readonly status: number | undefined;
  readonly challenge: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly why: string | undefined;
  readonly mayHaveArrived: boolean;

  constructor(code: TransportErrorCode, message: string, details: TransportErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.challenge = details.challenge;
    this.retryAfterMs = details.retryAfterMs;
    this.exitCode = details.exitCode;
    this.why = details.why;
    this.mayHaveArrived = details.mayHaveArrived ?? true;
  }
}

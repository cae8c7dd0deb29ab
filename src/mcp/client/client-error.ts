import { TransportError } from '../transports/index.js';

/** Why the client itself gave a request up. */
export type ClientErrorCode =
  /** No protocol version in common, or one that was pinned is not spoken. */
  | 'incompatible_version'
  /** The peer answered something the protocol does not allow there. */
  | 'invalid_response'
  /** The request or the whole of it took too long. */
  | 'timeout'
  /** The caller's signal. */
  | 'aborted'
  /** This client was closed. */
  | 'closed'
  /** The peer forgot our session. Later requests use a new one. */
  | 'session_lost'
  | 'page_limit'
  | 'cursor_repeated'
  /** The peer kept asking for input. */
  | 'round_limit'
  /** A handler said no where the protocol has no way to pass that on. */
  | 'input_refused'
  /** A handler failed. */
  | 'input_failed'
  | 'task_cancelled'
  /** The task was begun, and the peer cannot be asked about it. */
  | 'task_lost';

export interface ClientErrorDetails {
  readonly cause?: unknown;
  /** Whether the peer may have acted on the request. False only when it certainly has not. */
  readonly mayHaveArrived?: boolean;
  /** Versions the peer named, where that is what failed. */
  readonly supported?: readonly string[];
  /** The task that was asked about is over: asking again would be of no use. */
  readonly taskEnded?: boolean;
}

/** A decision of the client: neither the peer's own error nor a fault of the wire. Holds no payload. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  readonly mayHaveArrived: boolean;
  readonly supported: readonly string[] | undefined;
  readonly taskEnded: boolean;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.mayHaveArrived = details.mayHaveArrived ?? true;
    this.supported = details.supported;
    this.taskEnded = details.taskEnded ?? false;
  }
}

export function invalidResponse(reason: string, details?: ClientErrorDetails): ClientError {
  return new ClientError('invalid_response', reason, details);
}

/** Why there is no connection, for a request that waited for one: what failed may have arrived, but not the request. */
export function unsent(error: Error): Error {
  // The members of either are what it was made of.
  const details = { ...error, cause: error, mayHaveArrived: false };
  if (error instanceof TransportError) return new TransportError(error.code, error.message, details);
  return error instanceof ClientError ? new ClientError(error.code, error.message, details) : error;
}

/** A caught value as an error, for promises and causes. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error('a value that is not an error was thrown');
}

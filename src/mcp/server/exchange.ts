/**
 * One HTTP request and the way to answer it, as small as the protocol needs it. Adapters make it from `node:http`
 * (the hot path) and from web `Request`/`Response`.
 */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Lower-case names. A header sent twice has its values joined by `, `. */
  readonly headers: ExchangeHeaders;
  readonly body: Uint8Array;
  /** The whole answer. Called at most once, and not after `stream`. */
  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void;
  /** The same for a body that is not in one piece, where that can be sent. */
  sendParts?(status: number, headers: AnswerHeaders, parts: readonly (string | Uint8Array)[]): void;
  /** An answer that goes on. */
  stream(status: number, headers: AnswerHeaders): AnswerStream;
  /** The listener is called once if the peer goes away before the answer is complete. */
  onAbort(listener: () => void): void;
}

/** Names in lower case. */
export type ExchangeHeaders = Readonly<Record<string, string | undefined>>;
/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** The body of an answer that is written piece by piece. */
export interface AnswerStream {
  /** False when the peer reads too slowly; what is written is buffered all the same, so callers bound themselves. */
  write(chunk: string): boolean;
  /** Bytes accepted but not yet taken by the peer. */
  readonly buffered: number;
  end(): void;
  /** Ends without sending what is buffered: for a peer that does not read it. */
  abort(): void;
}

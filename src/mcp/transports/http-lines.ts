import type { AnswerHeaders } from './http-headers.js';

/** A request as it goes to a peer. Names and values of headers in turn. */
export interface LineRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: string[];
  readonly body: string | null;
  readonly headersTimeout: 0;
  readonly bodyTimeout: 0;
}

export interface LineController {
  /** Closes the connection of a request that is under way. */
  abort(reason: Error): void;
  /** Reads no more of the answer for now. What was read before may still come. */
  pause(): void;
  resume(): void;
}

/** Hears of one request: its start, a head, bytes, and an end or an error. A chunk is the line's again after the call. */
export interface LineHandler {
  onRequestStart(controller: LineController): void;
  onResponseStart(controller: LineController, status: number, headers: AnswerHeaders): void;
  onResponseData(controller: LineController, chunk: Buffer): void;
  onResponseEnd(controller: LineController): void;
  onResponseError(controller: LineController, error: unknown): void;
}

/** Connections to a server. Those of undici are such; `openPlainLines` gives others. */
export interface HttpLines {
  /** Sends a request once. Throws, or tells the handler, when it cannot. */
  dispatch(request: LineRequest, handler: LineHandler): unknown;
  /** Ends idle connections, and the others once their answers are complete. */
  close(): Promise<void>;
  /** Ends all of them. What is under way fails. */
  destroy(): Promise<void>;
}

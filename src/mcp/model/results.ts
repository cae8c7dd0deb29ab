import type { Json, JsonObject } from '../jsonrpc/index.js';

/** A piece of a result: text, image, audio, a resource or a link to one. */
export interface ContentBlock {
  readonly type: string;
  readonly [extra: string]: unknown;
}

/** What a tool returned. With `isError` it is the tool that failed, not the protocol. */
export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly [extra: string]: unknown;
}

/** A prompt, filled in. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly JsonObject[];
  readonly [extra: string]: unknown;
}

/** What was read. */
export interface ReadResult {
  readonly contents: readonly JsonObject[];
  readonly [extra: string]: unknown;
}

/** Values that an argument may have. */
export interface CompletionResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
  readonly [extra: string]: unknown;
}

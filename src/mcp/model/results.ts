import type { Json, JsonObject } from '../jsonrpc/index.js';

export interface ContentBlock {
  readonly type: string;
  readonly [extra: string]: unknown;
}

export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly [extra: string]: unknown;
}

export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly JsonObject[];
  readonly [extra: string]: unknown;
}

export interface ReadResult {
  readonly contents: readonly JsonObject[];
  readonly [extra: string]: unknown;
}

export interface CompletionResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
  readonly [extra: string]: unknown;
}

import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { CallResult, CompletionResult, PromptResult, ReadResult } from '../model/index.js';
import { invalidResponse } from './client-error.js';

/** Results as received, once what their types promise is certain. Nothing is dropped. */

export function toCallResult(result: JsonObject): CallResult {
  const { content } = result;
  if (Array.isArray(content)) return result as unknown as CallResult;
  // Some servers send structured content alone.
  if (content === undefined) return { ...result, content: [] };
  throw invalidResponse('content of a tool result must be an array');
}

export function toPromptResult(result: JsonObject): PromptResult {
  if (!Array.isArray(result['messages'])) throw invalidResponse('messages of a prompt must be an array');
  return result as unknown as PromptResult;
}

export function toReadResult(result: JsonObject): ReadResult {
  if (!Array.isArray(result['contents'])) throw invalidResponse('contents of a resource must be an array');
  return result as unknown as ReadResult;
}

export function toCompletionResult(result: JsonObject): CompletionResult {
  const { completion } = result;
  if (!isObject(completion) || !Array.isArray(completion['values'])) {
    throw invalidResponse('completion.values must be an array');
  }
  return result as unknown as CompletionResult;
}

export function toAnyResult(result: JsonObject): JsonObject {
  return result;
}

import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { CallResult, CompletionResult, PromptResult, ReadResult } from '../model/index.js';
import { invalidResponse } from './client-error.js';

/** Results as received, once what their types promise is certain. Nothing is dropped but null where that is no value. */

export function toCallResult(result: JsonObject): CallResult {
  const { content, isError } = result;
  if (isError !== undefined && isError !== null && typeof isError !== 'boolean')
    throw invalidResponse('isError of a tool result must be true or false');
  if (Array.isArray(content)) {
    if (!content.every(isBlock)) throw invalidResponse('content of a tool result must be blocks with a type');
    const odd = isError === null || result['_meta'] === null;
    return (odd ? withoutNamedNulls(result, UNTYPED) : result) as unknown as CallResult;
  }
  // Some servers send structured content alone.
  if (content === undefined) return { ...result, content: [] };
  throw invalidResponse('content of a tool result must be an array');
}

/** Of a kind that need not be known here. */
function isBlock(item: Json): boolean {
  return isObject(item) && typeof item['type'] === 'string';
}

const UNTYPED = ['isError', '_meta'];

/**
 * Null as structured content is a value in one era only. So is the type of a result: from a server of the other era it would
 * pass for a question or a task that nobody keeps.
 */
export function toLegacyAnswer(result: JsonObject): JsonObject {
  const plain =
    result['structuredContent'] === null ? withoutNamedNulls(result, ['structuredContent']) : result;
  if (!('resultType' in plain)) return plain;
  const { resultType: _, ...rest } = plain;
  return rest;
}

/** Some servers write null for what they leave out, and clients refuse that. */
function withoutNamedNulls(result: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(result).filter(([name, value]) => value !== null || !names.includes(name)),
  );
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
  const values = isObject(completion) ? completion['values'] : undefined;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw invalidResponse('completion.values must be an array of strings');
  }
  return result as unknown as CompletionResult;
}

export function toAnyResult(result: JsonObject): JsonObject {
  return result;
}

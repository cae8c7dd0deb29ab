import { createHash } from 'node:crypto';
import { isObject, JsonNumber, stringifyJson, type Json, type JsonObject } from '../../jsonrpc/index.js';

/**
 * What a sealed state is bound to: who asked, for what, with which arguments. A retry repeats all of it, so state that
 * arrives with anything else was not given for this request.
 */
export function requestContext(principal: string, method: string, params: JsonObject): string {
  const { name, uri, arguments: args } = params;
  const salient = stringifyJson(sorted({ name: name ?? null, uri: uri ?? null, args: args ?? null }));
  const digest = createHash('sha256').update(salient).digest('base64url');
  return JSON.stringify([principal, method, digest]);
}

/** The order of members carries no meaning, and a client may write its request anew. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value) || value instanceof JsonNumber) return value;
  const members = Object.keys(value)
    .sort()
    .map((key): readonly [string, Json] => [key, sorted(value[key] ?? null)]);
  return Object.fromEntries(members);
}

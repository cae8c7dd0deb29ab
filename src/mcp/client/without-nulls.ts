import { isObject, withoutNullMembers, type Json, type JsonObject } from '../jsonrpc/index.js';

/** Members of offers that may be left out. Null is a value of none of them. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'title',
  'description',
  'icons',
  'annotations',
  'outputSchema',
  'execution',
  'arguments',
  'mimeType',
  'size',
  '_meta',
]);

/**
 * Some servers write null for what they leave out. Clients refuse such a list as a whole, so what is offered further on
 * has none. Members nobody knows stay as they are.
 */
export function withoutNulls(offer: JsonObject): JsonObject {
  let kept = offer;
  for (const name in offer) {
    const value = offer[name];
    if (value === null && OPTIONAL.has(name)) kept = without(kept, name);
    else if (name === 'annotations' && isObject(value) && hasNull(value))
      kept = { ...kept, annotations: withoutNullMembers(value) };
    else if (name === 'arguments' && Array.isArray(value) && value.some(hasNull))
      kept = { ...kept, arguments: value.map((item: Json) => (isObject(item) ? withoutNulls(item) : item)) };
  }
  return kept;
}

function hasNull(value: Json): boolean {
  return isObject(value) && Object.values(value).includes(null);
}

function without(value: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = value;
  return rest;
}

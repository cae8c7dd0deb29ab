import { isObject, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';

/** Bounds on schemas, which are untrusted input: compiling one must not cost more than a moment. */
const SCHEMA_LIMITS = {
  bytes: 256 * 1024,
  depth: 64,
  subschemas: 5_000,
  references: 10_000,
  /** Of one object: the compiler nests what it makes of them, and more than about this many would not run. */
  properties: 1_000,
  /** Of schemas that ask what no other part has looked at: compiling compares each part with all others. */
  subschemasWithRest: 200,
  /** Of schemas with parts that have an id of their own, which are always compiled. */
  subschemasWithIds: 200,
} as const;

/** Of one schema: a hundred parts take about ten milliseconds. */
const MOST_COMPILED = 100;

/** Keywords whose schemas apply to the very same value, so that a cycle through them never ends. */
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_SINGLE = ['not', 'if', 'then', 'else'];
/** Their values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'example']);

/** Whether a schema may be used, and how values are then checked against it. */
export interface Admission {
  /** Why it may not be used; undefined if it may. */
  readonly refusal: string | undefined;
  /** It would keep everybody waiting while it is compiled. */
  readonly isLarge: boolean;
  readonly needsCompiler: boolean;
}

/** Nothing is fetched, nothing compiled. */
export function admitSchema(schema: JsonObject): Admission {
  const references: string[] = [];
  const count = { subschemas: 0, asksForRest: false, hasIds: false };
  const refusal =
    judgeShape(schema, 0, count, references) ??
    judgeRest(count) ??
    judgeSize(schema) ??
    references.map((reference) => judgeReference(schema, reference)).find((reason) => reason !== undefined) ??
    judgeCycles(schema);
  return {
    refusal,
    isLarge: count.subschemas > MOST_COMPILED,
    needsCompiler: count.asksForRest || count.hasIds,
  };
}

interface Count {
  subschemas: number;
  asksForRest: boolean;
  hasIds: boolean;
}

function judgeRest({ subschemas, asksForRest, hasIds }: Count): string | undefined {
  if (asksForRest && subschemas > SCHEMA_LIMITS.subschemasWithRest)
    return `the schema has unevaluated members and more than ${SCHEMA_LIMITS.subschemasWithRest} parts`;
  return hasIds && subschemas > SCHEMA_LIMITS.subschemasWithIds
    ? `the schema has parts with an id of their own and more than ${SCHEMA_LIMITS.subschemasWithIds} parts`
    : undefined;
}

function judgeSize(schema: JsonObject): string | undefined {
  const { length } = JSON.stringify(schema);
  return length > SCHEMA_LIMITS.bytes ? `the schema is larger than ${SCHEMA_LIMITS.bytes} bytes` : undefined;
}

function judgeShape(value: Json, depth: number, count: Count, references: string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > SCHEMA_LIMITS.depth) return `the schema is nested deeper than ${SCHEMA_LIMITS.depth} levels`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = judgeShape(item, depth + 1, count, references);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
  if (++count.subschemas > SCHEMA_LIMITS.subschemas)
    return `the schema has more than ${SCHEMA_LIMITS.subschemas} parts`;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || DATA.has(key)) continue;
    if (key === 'properties' && isObject(member) && Object.keys(member).length > SCHEMA_LIMITS.properties)
      return `the schema has an object with more than ${SCHEMA_LIMITS.properties} properties`;
    if (key === 'unevaluatedProperties' || key === 'unevaluatedItems') count.asksForRest = true;
    if (key === '$id' && depth > 0 && typeof member === 'string') count.hasIds = true;
    if ((key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef') && typeof member === 'string')
      references.push(member);
    const reason = judgeShape(member, depth + 1, count, references);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function judgeReference(root: JsonObject, reference: string): string | undefined {
  if (!reference.startsWith('#')) return 'the schema refers to another document';
  if (reference !== '#' && !reference.startsWith('#/')) return undefined; // An anchor; the compiler resolves it.
  return resolvePointer(root, reference) === undefined
    ? `the schema refers to ${reference.slice(0, 100)}, which is not there`
    : undefined;
}

export function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  let at: Json | undefined = root;
  for (const part of reference.split('/').slice(1)) {
    const key = decodePointer(part);
    if (isList(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function decodePointer(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

/** Finds references that lead back to themselves without looking inside the value, and fans of references that explode. */
function judgeCycles(root: JsonObject): string | undefined {
  const open = new Set<JsonObject>();
  const costs = new Map<JsonObject, number>();
  // What is inside begins anew: a part of the value is smaller than the value, so a way back through it ends.
  const starts = [root];
  const met = new Set(starts);
  for (const start of starts) {
    const cost = costOf(start);
    if (typeof cost === 'string') return cost;
  }
  return undefined;

  function costOf(schema: JsonObject): number | string {
    const known = costs.get(schema);
    if (known !== undefined) return known;
    if (open.has(schema)) return 'the schema refers to itself without end';
    open.add(schema);
    let total = 1;
    for (const next of inPlace(root, schema)) {
      const part = costOf(next);
      if (typeof part === 'string') return part;
      total += part;
      if (total > SCHEMA_LIMITS.references) return 'the schema has too many references to follow';
    }
    open.delete(schema);
    costs.set(schema, total);
    for (const inner of inside(schema)) {
      if (met.has(inner)) continue;
      met.add(inner);
      starts.push(inner);
    }
    return total;
  }
}

function inPlace(root: JsonObject, schema: JsonObject): JsonObject[] {
  const { $ref } = schema;
  const target =
    typeof $ref === 'string' && ($ref === '#' || $ref.startsWith('#/'))
      ? resolvePointer(root, $ref)
      : undefined;
  return [
    target,
    ...IN_PLACE_LISTS.flatMap((keyword) => listOf(schema[keyword])),
    ...IN_PLACE_SINGLE.map((keyword) => schema[keyword]),
  ].filter(isObject);
}

/** Schemas for parts of the value, wherever they stand. */
function inside(schema: JsonObject): JsonObject[] {
  return Object.entries(schema)
    .filter(
      ([keyword]) =>
        !DATA.has(keyword) && !IN_PLACE_LISTS.includes(keyword) && !IN_PLACE_SINGLE.includes(keyword),
    )
    .flatMap(([, member]): readonly (Json | undefined)[] => (isList(member) ? member : [member]))
    .filter(isObject);
}

/** `Array.isArray` forgets what the items of a readonly array are. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

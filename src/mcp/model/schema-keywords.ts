import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';

/** What the value of a keyword holds: names of the author's choice with a schema each, data, or schemas. */
type Position = 'names' | 'data' | 'schemas';

const POSITIONS: ReadonlyMap<string, Position> = new Map([
  ['properties', 'names'],
  ['patternProperties', 'names'],
  ['dependentSchemas', 'names'],
  ['dependencies', 'names'],
  ['$defs', 'names'],
  ['definitions', 'names'],
  ['const', 'data'],
  ['enum', 'data'],
  ['default', 'data'],
  ['examples', 'data'],
  ['example', 'data'],
]);

/** Where a keyword's value may hold further schemas. Unknown keywords may, so they are looked into. */
export function positionOf(keyword: string): Position {
  return POSITIONS.get(keyword) ?? 'schemas';
}

/**
 * A schema rebuilt from its root. `rewrite` sees the members of one schema at a time and returns them changed, or
 * undefined to leave it and all below it as it is. Names that look like keywords and data that look like schemas are
 * never taken for them.
 */
export function rewriteSchema(value: Json, rewrite: (schema: JsonObject) => JsonObject | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => rewriteSchema(item, rewrite));
  const members = isObject(value) ? rewrite(value) : undefined;
  if (members === undefined) return value;
  return mapMembers(members, (member, keyword) => {
    const position = positionOf(keyword);
    if (position === 'data') return member;
    return position === 'names' && isObject(member)
      ? mapMembers(member, (schema) => rewriteSchema(schema, rewrite))
      : rewriteSchema(member, rewrite);
  });
}

/** Defines members rather than assigning them, so that `__proto__` stays a name like any other. */
export function mapMembers(object: JsonObject, change: (member: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      member === undefined ? member : change(member, name),
    ]),
  );
}

import { isObject, JsonNumber, type Json, type JsonObject } from '../jsonrpc/index.js';
import { PARAM_HEADER, positionOf } from '../model/index.js';
import { headerMismatch } from './errors.js';
import { decodeHeaderValue, encodeHeaderValue, HEADER_PARAM_PREFIX } from './headers.js';

/** A tool argument that is repeated in an `Mcp-Param-*` header. */
export interface ParamHeader {
  /** Complete header name, lower case. */
  readonly header: string;
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

export type ParamHeaders =
  | { readonly valid: true; readonly params: readonly ParamHeader[] }
  | { readonly valid: false; readonly reason: string };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const INTEGER = /^-?\d+(?:\.0+)?$/;
const MAX_DEPTH = 64;
const NONE: ParamHeaders = { valid: true, params: [] };

/** Reads the annotations of an input schema. A single bad one makes the tool unusable over HTTP. */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders {
  const found: ParamHeader[] = [];
  const reason = walk(inputSchema, [], found, 0);
  if (reason !== undefined) return { valid: false, reason };
  if (found.length === 0) return NONE;
  const names = new Set(found.map((param) => param.header));
  if (names.size !== found.length)
    return { valid: false, reason: `${PARAM_HEADER} names the same header twice` };
  return { valid: true, params: found };
}

/** Undefined where a caller cannot be sure to pass through: there an annotation may not stand. */
type Path = readonly string[] | undefined;

/** Returns what is wrong. */
function walk(schema: Json, path: Path, found: ParamHeader[], depth: number): string | undefined {
  if (depth > MAX_DEPTH) return 'the schema is nested too deeply';
  if (Array.isArray(schema)) {
    return firstOf(schema, (item: Json) => walk(item, undefined, found, depth + 1));
  }
  if (!isObject(schema)) return undefined;
  const annotation = schema[PARAM_HEADER];
  if (annotation !== undefined) {
    const param = toParamHeader(annotation, schema, path);
    if (typeof param === 'string') return param;
    found.push(param);
  }
  return firstOf(Object.entries(schema), ([keyword, value]) => {
    const position = positionOf(keyword);
    if (value === undefined || position === 'data') return undefined;
    if (position !== 'names' || !isObject(value)) return walk(value, undefined, found, depth + 1);
    return firstOf(Object.entries(value), ([name, property]) => {
      const below = keyword === 'properties' && path !== undefined ? [...path, name] : undefined;
      return walk(property ?? null, below, found, depth + 1);
    });
  });
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = find(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function toParamHeader(annotation: Json, schema: JsonObject, path: Path): ParamHeader | string {
  if (typeof annotation !== 'string' || !TOKEN.test(annotation))
    return `${PARAM_HEADER} must be a header token`;
  if (path === undefined || path.length === 0) {
    return `${PARAM_HEADER} may only stand on a property reached through properties`;
  }
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${PARAM_HEADER} needs a property of type string, integer or boolean`;
  }
  return { header: HEADER_PARAM_PREFIX + annotation.toLowerCase(), path, type };
}

/** The headers for one call. Absent and null arguments have none. */
export function writeParamHeaders(
  params: readonly ParamHeader[],
  args: JsonObject | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of params) {
    const text = toText(valueAt(args, path));
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

/**
 * Throws a header mismatch unless every annotated argument that is present stands in its header too. An argument that
 * has no header form is of the wrong type, which is for whoever validates the arguments to say.
 */
export function checkParamHeaders(
  params: readonly ParamHeader[],
  args: JsonObject | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): void {
  for (const { header, path } of params) {
    const value = valueAt(args, path);
    const text = toText(value);
    if (text === undefined) continue;
    const sent = headers[header];
    if (sent === undefined) throw headerMismatch(`header ${header} is missing`);
    const decoded = decodeHeaderValue(sent);
    const same = decoded === text || (Number.isSafeInteger(value) && isSameInteger(decoded, Number(value)));
    if (!same) throw headerMismatch(`header ${header} does not match the argument`);
  }
}

/** `42.0` is `42`. Within the safe range no two different integers are the same double. */
function isSameInteger(sent: string, value: number): boolean {
  return INTEGER.test(sent) && Number(sent) === value;
}

/** Undefined for what does not go into a header. */
function toText(value: Json | undefined): string | undefined {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return toDecimal(value);
  return typeof value === 'boolean' ? String(value) : undefined;
}

function toDecimal(value: number): string {
  const text = String(value);
  return Number.isInteger(value) && text.includes('e') ? BigInt(value).toString() : text;
}

function valueAt(args: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

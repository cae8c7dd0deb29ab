import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
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

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Their values are data, not schemas. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples', 'example']);
const MAX_DEPTH = 64;
const NONE: ParamHeaders = { valid: true, params: [] };

/** Reads the annotations of an input schema. A single bad one makes the tool unusable over HTTP. */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders {
  const found: ParamHeader[] = [];
  const reason = walk(inputSchema, [], found, 0);
  if (reason !== undefined) return { valid: false, reason };
  if (found.length === 0) return NONE;
  const names = new Set(found.map((param) => param.header));
  if (names.size !== found.length) return { valid: false, reason: `${KEYWORD} names the same header twice` };
  return { valid: true, params: found };
}

/** `path` is undefined where an annotation may not stand. Returns what is wrong. */
function walk(schema: JsonObject, path: readonly string[] | undefined, found: ParamHeader[], depth: number): string | undefined {
  if (depth > MAX_DEPTH) return 'the schema is nested too deeply';
  const annotation = schema[KEYWORD];
  if (annotation !== undefined) {
    const param = toParamHeader(annotation, schema, path);
    if (typeof param === 'string') return param;
    found.push(param);
  }
  for (const keyword in schema) {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null || DATA_KEYWORDS.has(keyword)) continue;
    const reason =
      keyword === 'properties' && isObject(value)
        ? walkProperties(value, path, found, depth)
        : walkElsewhere(value, found, depth);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function walkProperties(properties: JsonObject, path: readonly string[] | undefined, found: ParamHeader[], depth: number): string | undefined {
  for (const name in properties) {
    const property = properties[name];
    if (!isObject(property)) continue;
    const reason = walk(property, path && [...path, name], found, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Arrays of schemas, maps of schemas, single schemas: all places a caller cannot be sure to pass through. */
function walkElsewhere(value: Json, found: ParamHeader[], depth: number): string | undefined {
  if (depth > MAX_DEPTH) return 'the schema is nested too deeply';
  if (isObject(value)) return walk(value, undefined, found, depth + 1);
  if (!Array.isArray(value)) return undefined;
  for (const item of value) {
    const reason = walkElsewhere(item, found, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function toParamHeader(annotation: Json, schema: JsonObject, path: readonly string[] | undefined): ParamHeader | string {
  if (typeof annotation !== 'string' || !TOKEN.test(annotation)) return `${KEYWORD} must be a header token`;
  if (path === undefined || path.length === 0) return `${KEYWORD} may only stand on a property reached through properties`;
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${KEYWORD} needs a property of type string, integer or boolean`;
  }
  return { header: HEADER_PARAM_PREFIX + annotation.toLowerCase(), path, type };
}

/** The headers for one call. Absent and null arguments have none. */
export function writeParamHeaders(params: readonly ParamHeader[], args: JsonObject | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of params) {
    const value = valueAt(args, path);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      headers[header] = encodeHeaderValue(String(value));
    }
  }
  return headers;
}

/** Throws a header mismatch unless every annotated argument that is present stands in its header too. */
export function checkParamHeaders(
  params: readonly ParamHeader[],
  args: JsonObject | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): void {
  for (const { header, path } of params) {
    const value = valueAt(args, path);
    if (value === undefined || value === null) continue;
    const sent = headers[header];
    if (sent === undefined) throw headerMismatch(`header ${header} is missing`);
    if (!agrees(decodeHeaderValue(sent), value)) throw headerMismatch(`header ${header} does not match the argument`);
  }
}

function agrees(sent: string, value: Json): boolean {
  if (typeof value === 'number') return sent.trim() !== '' && Number(sent) === value;
  return (typeof value === 'string' || typeof value === 'boolean') && String(value) === sent;
}

function valueAt(args: JsonObject | undefined, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

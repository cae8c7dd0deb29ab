import {
  isObject,
  JsonError,
  JsonNumber,
  parseJson,
  type Json,
  type JsonObject,
} from '../mcp/jsonrpc/index.js';
import { usageError } from './cli-error.js';

/** Texts by the name of their argument. */
export type Pairs = ReadonlyMap<string, string>;

export function splitPairs(pairs: readonly string[]): Pairs {
  const texts = new Map<string, string>();
  for (const pair of pairs) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw usageError(
        `"${pair}" is not an argument`,
        'Arguments look like name=value; or give all of them with --args JSON.',
      );
    if (texts.has(name)) throw usageError(`the argument ${name} is given twice`);
    texts.set(name, text);
  }
  return texts;
}

/** Each text is taken for what the tool's schema says it is. */
export function readPairs(pairs: Pairs, schema: Readonly<Record<string, unknown>>): JsonObject {
  const args: Record<string, Json> = {};
  for (const [name, text] of pairs) {
    Object.defineProperty(args, name, {
      value: readValue(name, text, typesOf(schema, name)),
      enumerable: true,
    });
  }
  return args;
}

/** Arguments given as one JSON object. Numbers keep all their digits. */
export function readJsonArguments(text: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    const reason =
      error instanceof JsonError && error.fault !== 'syntax' ? error.message : 'it is not valid JSON';
    throw usageError(`--args cannot be read: ${reason}`, `It looks like this: --args '{"text":"hello"}'`);
  }
  if (!isObject(value)) throw usageError('--args must be a JSON object');
  return value;
}

/** The types a member may have; none where the schema does not say. */
function typesOf(schema: Readonly<Record<string, unknown>>, name: string): ReadonlySet<string> {
  const properties = schema['properties'];
  const member = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return new Set(collectTypes(member));
}

function collectTypes(member: unknown): string[] {
  if (!isRecord(member)) return [];
  const { type, enum: values, const: only, anyOf, oneOf } = member;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  const fixed: readonly unknown[] = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const branches: readonly unknown[] = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return [...fixed.map(typeOf), ...branches.flatMap(collectTypes)];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Text stays text wherever text is allowed, unless it can only have been meant otherwise. */
function readValue(name: string, text: string, types: ReadonlySet<string>): Json {
  if (types.size === 1 && types.has('string')) return text;
  const value = tryJson(text);
  if (types.size === 0) return value === undefined ? text : value;
  if (value !== undefined && types.has(jsonType(value))) return value;
  if (value !== undefined && jsonType(value) === 'integer' && types.has('number')) return value;
  if (types.has('string')) return text;
  throw usageError(
    `${name} must be ${[...types].map(describeType).join(' or ')}, not "${text.slice(0, 64)}"`,
  );
}

function tryJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function jsonType(value: Json): string {
  if (value instanceof JsonNumber) return /^-?\d+$/.test(value.text) ? 'integer' : 'number';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeOf(value);
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a JSON array, such as [1,2]',
  object: 'a JSON object, such as {"a":1}',
  null: 'null',
};

function describeType(type: string): string {
  return DESCRIPTIONS[type] ?? type;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { isObject, JsonNumber, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { CheckBudget } from './check-budget.js';
import { hasDuplicates, keyOf, lengthOf, type TextFormat } from './schema-keywords.js';
import type { LinearPattern } from './schema-pattern.js';

/** What is wrong with one place of a value; in the words of the compiler. */
export interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: object;
}

/** Looks at a value that stands at a place; what is wrong with it, or `NOTHING`. */
export type Rule = (value: unknown, path: string) => readonly Violation[];

export interface RuleSurroundings {
  readonly budget: CheckBudget;
  readonly formats: Readonly<Record<string, TextFormat>>;
  readonly pattern: (source: string) => LinearPattern;
}

export const NOTHING: readonly Violation[] = [];

export function violation(path: string, keyword: string, message: string, params: object = {}): Violation[] {
  return [{ instancePath: path, keyword, message, params }];
}

type Asserts = (wanted: Json, around: RuleSurroundings, schema: JsonObject) => Rule | undefined;

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that look at a value without asking another schema. What they do not concern passes. */
export const ASSERTIONS: ReadonlyMap<string, Asserts> = new Map<string, Asserts>([
  ['type', assertType],
  ['enum', assertEnum],
  ['const', (wanted, { budget }) => assertConst(wanted, budget)],
  ['format', assertFormat],
  ['pattern', assertPattern],
  ['required', (wanted, { budget }) => assertRequired(textsOf(wanted), budget)],
  ['dependentRequired', assertDependentRequired],
  ['uniqueItems', assertUniqueItems],
  ['minLength', bound('minLength', charactersOf, (length, limit) => length >= limit, fewer('characters'))],
  ['maxLength', bound('maxLength', charactersOf, (length, limit) => length <= limit, more('characters'))],
  ['minItems', bound('minItems', countOf, (count, limit) => count >= limit, fewer('items'))],
  ['maxItems', bound('maxItems', countOf, (count, limit) => count <= limit, more('items'))],
  ['minProperties', bound('minProperties', sizeOf, (size, limit) => size >= limit, fewer('properties'))],
  ['maxProperties', bound('maxProperties', sizeOf, (size, limit) => size <= limit, more('properties'))],
  ['minimum', bound('minimum', itself, (value, limit) => value >= limit, compared('>='))],
  ['maximum', bound('maximum', itself, (value, limit) => value <= limit, compared('<='))],
  ['exclusiveMinimum', bound('exclusiveMinimum', itself, (value, limit) => value > limit, compared('>'))],
  ['exclusiveMaximum', bound('exclusiveMaximum', itself, (value, limit) => value < limit, compared('<'))],
  ['multipleOf', bound('multipleOf', itself, isMultiple, (limit) => `must be multiple of ${limit}`)],
]);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: isList,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => isNumber(value) && value % 1 === 0,
  null: (value) => value === null,
  number: isNumber,
  object: isRecord,
  string: isText,
};

function assertType(wanted: Json, _around: RuleSurroundings, schema: JsonObject): Rule {
  const named = isText(wanted) ? [wanted] : textsOf(wanted);
  const names = schema['nullable'] === true ? [...named, 'null'] : named;
  return (value, path) =>
    names.some((name) => TYPES[name]?.(value) === true)
      ? NOTHING
      : violation(path, 'type', `must be ${named.join()}`, { type: wanted });
}

function assertEnum(wanted: Json, { budget }: RuleSurroundings): Rule | undefined {
  if (!isList(wanted)) return undefined;
  const allowedValues = asPlain(wanted) as readonly unknown[];
  const plain = new Set(allowedValues.filter((value) => !isComposed(value)));
  const composed = allowedValues.filter(isComposed);
  let keys: ReadonlySet<string> | undefined;
  return (value, path) => {
    if (!isComposed(value) ? plain.has(value) : composed.length > 0 && isAmong(value)) return NOTHING;
    return violation(path, 'enum', 'must be equal to one of the allowed values', { allowedValues });
  };
  function isAmong(value: unknown): boolean {
    keys ??= new Set(composed.map((one) => keyOf(one, budget)));
    return keys.has(keyOf(value, budget));
  }
}

function assertConst(wanted: Json, budget: CheckBudget): Rule {
  const allowedValue = asPlain(wanted);
  return (value, path) =>
    value === allowedValue ||
    (isComposed(value) && isComposed(allowedValue) && keyOf(value, budget) === keyOf(allowedValue, budget))
      ? NOTHING
      : violation(path, 'const', 'must be equal to constant', { allowedValue });
}

function assertFormat(wanted: Json, { formats }: RuleSurroundings): Rule | undefined {
  const name = isText(wanted) ? wanted : '';
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) return undefined;
  return (value, path) =>
    format(value) ? NOTHING : violation(path, 'format', `must match format "${name}"`);
}

function assertPattern(wanted: Json, { pattern }: RuleSurroundings): Rule | undefined {
  if (!isText(wanted)) return undefined;
  const compiled = pattern(wanted);
  return (value, path) =>
    !isText(value) || compiled.test(value)
      ? NOTHING
      : violation(path, 'pattern', `must match pattern "${wanted}"`);
}

const NAMES_PER_STEP = 8;

function assertRequired(names: readonly string[], budget: CheckBudget): Rule {
  return (value, path) => {
    if (!isRecord(value)) return NOTHING;
    budget.spend(Math.ceil(names.length / NAMES_PER_STEP));
    const missing = names.find((name) => !hasMember(value, name));
    return missing === undefined
      ? NOTHING
      : violation(path, 'required', `must have required property '${missing}'`);
  };
}

function assertDependentRequired(wanted: Json, { budget }: RuleSurroundings): Rule | undefined {
  if (!isObject(wanted)) return undefined;
  const dependents = Object.entries(wanted).map(([name, names]) => [name, textsOf(names)] as const);
  return (value, path) => {
    if (!isRecord(value)) return NOTHING;
    for (const [name, names] of dependents) {
      budget.spend(1);
      if (!hasMember(value, name)) continue;
      if (names.some((one) => !hasMember(value, one)))
        return violation(path, 'dependentRequired', missingMessage(name, names));
    }
    return NOTHING;
  };
}

export function missingMessage(name: string, names: readonly string[]): string {
  return `must have ${names.length === 1 ? 'property' : 'properties'} ${names.join(', ')} when property ${name} is present`;
}

function assertUniqueItems(wanted: Json, { budget }: RuleSurroundings): Rule | undefined {
  if (wanted !== true) return undefined;
  return (value, path) =>
    isList(value) && hasDuplicates(value, budget)
      ? violation(path, 'uniqueItems', 'must NOT have duplicate items')
      : NOTHING;
}

/** A limit on something that values of one kind can be measured by; `measure` says undefined of all others. */
function bound(
  keyword: string,
  measure: (value: unknown, limit: number, budget: CheckBudget) => number | undefined,
  fits: (measured: number, limit: number) => boolean,
  message: (limit: number) => string,
): Asserts {
  return (wanted, { budget }) => {
    const limit = toNumber(wanted);
    if (limit === undefined) return undefined;
    return (value, path) => {
      const measured = measure(value, limit, budget);
      return measured === undefined || fits(measured, limit)
        ? NOTHING
        : violation(path, keyword, message(limit), { limit });
    };
  };
}

const PRECISION = 1e-9;

function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(Math.round(times) - times) <= PRECISION;
}

function charactersOf(value: unknown, limit: number, budget: CheckBudget): number | undefined {
  return isText(value) ? lengthOf(value, limit, budget) : undefined;
}

function countOf(value: unknown): number | undefined {
  return isList(value) ? value.length : undefined;
}

function sizeOf(value: unknown): number | undefined {
  return isRecord(value) ? Object.keys(value).length : undefined;
}

function itself(value: unknown): number | undefined {
  return isNumber(value) ? value : undefined;
}

function fewer(what: string): (limit: number) => string {
  return (limit) => `must NOT have fewer than ${limit} ${what}`;
}

export function more(what: string): (limit: number) => string {
  return (limit) => `must NOT have more than ${limit} ${what}`;
}

function compared(operator: string): (limit: number) => string {
  return (limit) => `must be ${operator} ${limit}`;
}

export function toNumber(value: Json | undefined): number | undefined {
  if (value instanceof JsonNumber) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isText) : [];
}

/** What is inherited is not there. */
export function hasMember(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function isComposed(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Values are compared with their numbers as doubles. */
function asPlain(value: Json | readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

import { createRequire } from 'node:module';
import type * as Draft7 from 'ajv';
import type { Ajv, Format } from 'ajv';
import type { CheckBudget } from './check-budget.js';

const require = createRequire(import.meta.url);

/** Longer texts are of no format: formats are hints (JSON Schema 2020-12, validation, section 7.2.1). */
const MAX_FORMAT_LENGTH = 64 * 1024;

/** What a value costs where all are compared, compared with a step of a schema. */
const STEPS_PER_KEY = 10;

/** Formats that look at bounded texts only. */
export function skipLongTexts(ajv: Ajv, budget: CheckBudget): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    const bounded =
      typeof format === 'boolean' || format === undefined ? undefined : boundedFormat(format, budget);
    if (bounded !== undefined) ajv.addFormat(name, bounded);
  }
}

type Test = RegExp | ((text: string) => boolean);

function boundedFormat(
  format: Exclude<Ajv['formats'][string], boolean | undefined>,
  budget: CheckBudget,
): Format | undefined {
  const validate = format instanceof RegExp || typeof format === 'function' ? format : format.validate;
  const isOfText = typeof format === 'function' || format instanceof RegExp || format.type !== 'number';
  if (!isOfText || typeof validate === 'string' || validate === undefined) return undefined;
  const test = validate as Test;
  return {
    type: 'string',
    validate: (text: string) => {
      if (text.length > MAX_FORMAT_LENGTH) return true;
      budget.spendOn(text);
      return test instanceof RegExp ? test.test(text) : test(text);
    },
  };
}

/** The compiler's own count all characters of a text, whatever the limit, for every part that has one. */
export function checkLengths(ajv: Ajv, budget: CheckBudget): void {
  const { str } = require('ajv') as typeof Draft7;
  const limits = [
    ['minLength', 'fewer', (text: string, limit: number) => lengthOf(text, limit, budget) >= limit],
    ['maxLength', 'more', (text: string, limit: number) => lengthOf(text, limit, budget) <= limit],
  ] as const;
  for (const [keyword, word, fits] of limits) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      errors: false,
      error: { message: ({ schemaCode }) => str`must NOT have ${word} than ${schemaCode} characters` },
      validate: (limit: number, text: string) => fits(text, limit),
    });
  }
}

/**
 * Code points, not UTF-16 units (JSON Schema 2020-12, validation, section 6.3.1). They are counted only where both could lie on different
 * sides of the limit.
 */
export function lengthOf(text: string, limit: number, budget: CheckBudget): number {
  let { length } = text;
  if (length < limit || length / 2 > limit) return length;
  budget.spendOn(text);
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    length--;
    at++;
  }
  return length;
}

/** The compiler's own compares every item with every other. */
export function checkUniqueItems(ajv: Ajv, budget: CheckBudget): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (isWanted: unknown, items: readonly unknown[]) =>
      isWanted !== true || !hasDuplicates(items, budget),
  });
}

export function hasDuplicates(items: readonly unknown[], budget: CheckBudget): boolean {
  const seen = new Set<string>();
  return items.some((item) => seen.size === seen.add(keyOf(item, budget)).size);
}

/** Whether a value is of a format; all that the format is not about are. */
export type TextFormat = (value: unknown) => boolean;

/** The formats that a compiler knows, as functions. */
export function formatsOf(ajv: Ajv): Readonly<Record<string, TextFormat>> {
  const formats: Record<string, TextFormat> = {};
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (typeof format !== 'object' || format instanceof RegExp) continue;
    const { type = 'string', validate } = format;
    if (typeof validate === 'function')
      formats[name] = (value) => typeof value !== type || validate(value as never) === true;
  }
  return formats;
}

/** The same text for the same value, whatever the order of its members. */
export function keyOf(value: unknown, budget: CheckBudget): string {
  budget.spend(STEPS_PER_KEY);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, budget)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member, budget)}`).join()}}`;
}

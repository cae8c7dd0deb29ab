import type { Ajv, Format } from 'ajv';
import type { CheckBudget } from './check-budget.js';

/** Longer texts are of no format: formats are hints (JSON Schema 2020-12, validation, section 7.2.1). */
const MAX_FORMAT_LENGTH = 64 * 1024;

/** What a value costs where all are compared, compared with a step of a schema. */
const STEPS_PER_KEY = 10;

/** Formats that look at bounded texts only. */
export function skipLongTexts(ajv: Ajv): void {
  for (const [name, format] of Object.entries(ajv.formats)) {
    const bounded = typeof format === 'boolean' || format === undefined ? undefined : boundedFormat(format);
    if (bounded !== undefined) ajv.addFormat(name, bounded);
  }
}

type Test = RegExp | ((text: string) => boolean);

function boundedFormat(format: Exclude<Ajv['formats'][string], boolean | undefined>): Format | undefined {
  const validate = format instanceof RegExp || typeof format === 'function' ? format : format.validate;
  const isOfText = typeof format === 'function' || format instanceof RegExp || format.type !== 'number';
  if (!isOfText || typeof validate === 'string' || validate === undefined) return undefined;
  const test = validate as Test;
  return {
    type: 'string',
    validate: (text: string) =>
      text.length > MAX_FORMAT_LENGTH || (test instanceof RegExp ? test.test(text) : test(text)),
  };
}

/** The compiler's own compares every item with every other. */
export function checkUniqueItems(ajv: Ajv, budget: CheckBudget): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (isWanted: unknown, items: readonly unknown[]) => {
      if (isWanted !== true) return true;
      const seen = new Set<string>();
      return items.every((item) => seen.size < seen.add(keyOf(item, budget)).size);
    },
  });
}

/** The same text for the same value, whatever the order of its members. */
function keyOf(value: unknown, budget: CheckBudget): string {
  budget.spend(STEPS_PER_KEY);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, budget)).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member, budget)}`).join()}}`;
}

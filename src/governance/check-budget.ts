import { createRequire } from 'node:module';
import type * as Draft7 from 'ajv';
import type { Ajv, KeywordCxt } from 'ajv';
import { isObject, JsonNumber, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';

const require = createRequire(import.meta.url);

/** A value that takes more than this is not checked to the end. About a tenth of a second. */
const STEPS = 1_000_000;
export const STEPS_PER_REFERENCE = 4;
/** So many characters of a text are looked at in a step, where each is looked at once. */
const CHARACTERS_PER_STEP = 40;
/** The keyword with which each part of a schema says what looking at it costs. */
const COST = 'crosspoint:cost';

/** Thrown out of a check that takes too long. */
export class CheckTooLong extends Error {}

/**
 * How much work is left for checking one value. Schemas and values both come from others, and between them even a short
 * schema can ask for years: two ways into the same member double with every level.
 */
export class CheckBudget {
  #left = STEPS;

  renew(): void {
    this.#left = STEPS;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new CheckTooLong();
  }

  /** Looking at every character of a text. */
  spendOn(text: string): void {
    if (text.length > CHARACTERS_PER_STEP) this.spend(text.length / CHARACTERS_PER_STEP);
  }
}

/** Makes a compiler count what its schemas ask for. They must have been priced. */
export function countSteps(ajv: Ajv, budget: CheckBudget): void {
  const { _ } = require('ajv') as typeof Draft7;
  const spend = ({ gen }: KeywordCxt, steps: number): void => {
    gen.code(_`${gen.scopeValue('obj', { ref: budget, key: budget })}.spend(${steps})`);
  };
  ajv.addKeyword({
    keyword: COST,
    before: '$ref',
    code: (context) => spend(context, typeof context.schema === 'number' ? Math.max(1, context.schema) : 1),
  });
  // Nothing goes round without a reference, and one may lead where nothing has a price.
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== 'object') continue;
    const { definition } = rule;
    if (!('code' in definition)) continue;
    const { code } = definition;
    definition.code = (context, ruleType) => {
      spend(context, STEPS_PER_REFERENCE);
      code(context, ruleType);
    };
  }
}

/** Their members are schemas, whatever the names. */
const TABLES = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
/** Each item is looked at for every value: so many of them in a step. */
const COUNTED = new Map([
  ['allOf', 1],
  ['anyOf', 1],
  ['enum', 8],
  ['oneOf', 1],
  ['required', 8],
]);
/** Their values are data. */
const DATA = new Set(['const', 'default', 'dependentRequired', 'enum', 'example', 'examples', 'required']);

/** A copy of a schema in which each part has its price. */
export function withCosts(schema: JsonObject): JsonObject {
  const priced: Record<string, Json | undefined> = {};
  let cost = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value)) cost += Math.ceil(value.length / (COUNTED.get(keyword) ?? Infinity));
    if (isObject(value) && TABLES.has(keyword)) {
      cost += Object.keys(value).length;
      define(
        priced,
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, member]) => [name, pricedValue(member)])),
      );
    } else define(priced, keyword, DATA.has(keyword) ? value : pricedValue(value));
  }
  define(priced, COST, cost);
  return priced;
}

function pricedValue(value: Json | undefined): Json | undefined {
  if (value instanceof JsonNumber) return Number(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => pricedValue(item) ?? null);
  return isObject(value) ? withCosts(value) : value;
}

/** `__proto__` is a name like any other. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

import { createRequire } from 'node:module';
import type * as Draft7 from 'ajv';
import type { Ajv } from 'ajv';
import type * as Draft2020 from 'ajv/dist/2020.js';
import type Formats from 'ajv-formats';
import { cutText } from '../kernel/index.js';
import { JsonNumber, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';
import { CheckBudget, CheckTooLong, countSteps, withCosts } from './check-budget.js';
import { interpretSchema } from './interpret-schema.js';
import { isPlainSchema } from './plain-schema.js';
import { admitSchema, type Admission } from './schema-admission.js';
import { checkLengths, checkUniqueItems, formatsOf, skipLongTexts } from './schema-keywords.js';
import { linearPatterns } from './schema-pattern.js';
import { NOTHING as NO_VIOLATIONS, violation, type Violation } from './schema-rules.js';

export interface Validator {
  /** Why a schema cannot be used; undefined if it can. Cheap: nothing is compiled. */
  judge(schema: JsonObject): string | undefined;
  /**
   * What is wrong with a value, each with its path; empty if nothing is. Compiles on first use of a schema object, unless
   * it is large. Paths begin with `name`, which is `arguments` unless told otherwise.
   */
  problems(schema: JsonObject, value: Json, name?: string): readonly string[];
}

/** What is wrong with a value; throws `CheckTooLong`. */
type Check = (value: unknown) => readonly Violation[];
type Compiled = Check | 'unusable';

// Loaded with the first schema.
const require = createRequire(import.meta.url);
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
/** Something stays behind in a compiler for every schema it has seen, so it is replaced after this many. */
const SCHEMAS_PER_COMPILER = 1_000;
const MAX_PROBLEMS = 8;
const NOTHING: readonly string[] = [];
const CANNOT_TELL = violation('', '', 'cannot be compared with what the schema allows');

export function createValidator(): Validator {
  const compiled = new WeakMap<JsonObject, Compiled>();
  const budget = new CheckBudget();
  const compilers = new Map<'2020-12' | 'draft-07', { ajv: Ajv; uses: number }>();

  function compilerFor(schema: JsonObject): Ajv {
    const { $schema } = schema;
    const dialect = typeof $schema === 'string' && DRAFT_7.test($schema) ? 'draft-07' : '2020-12';
    const known = compilers.get(dialect);
    if (known !== undefined && known.uses < SCHEMAS_PER_COMPILER) {
      known.uses++;
      return known.ajv;
    }
    const ajv = createCompiler(dialect, budget);
    compilers.set(dialect, { ajv, uses: 1 });
    return ajv;
  }

  function compile(schema: JsonObject): Compiled {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    let result: Compiled = 'unusable';
    const admission = admitSchema(schema);
    if (admission.refusal === undefined) {
      try {
        // The dialect is chosen above; an unknown $schema must not make the compiler look for it.
        const { $schema: _, $id: __, ...rest } = schema;
        result = checkFor(compilerFor(schema), rest, admission, budget);
      } catch {
        // Left as unusable: a schema nobody can compile refuses every value.
      }
    }
    compiled.set(schema, result);
    return result;
  }

  return {
    judge(schema) {
      const { refusal } = admitSchema(schema);
      if (refusal !== undefined) return refusal;
      try {
        const { $schema: _, ...rest } = schema;
        if (isPlainSchema(rest)) return undefined;
        budget.renew();
        return compilerFor({ $schema: schema['$schema'] }).validateSchema(rest) === true
          ? undefined
          : 'the schema is not valid JSON Schema';
      } catch {
        return 'the schema is not valid JSON Schema';
      }
    },
    problems(schema, value, name = 'arguments') {
      const check = compile(schema);
      if (check === 'unusable') return ['the schema of this tool cannot be used'];
      return findProblems(check, value, name, budget);
    },
  };
}

function checkFor(
  compiler: Ajv,
  schema: JsonObject,
  { isLarge, needsCompiler }: Admission,
  budget: CheckBudget,
): Check {
  const interpret = (): Check =>
    interpretSchema(schema, { budget, formats: formatsOf(compiler), pattern: linearPatterns(budget) });
  if (isLarge && !needsCompiler) return interpret();
  const validate = compiler.compile(withCosts(schema));
  return (value) => {
    try {
      return validate(value) ? NO_VIOLATIONS : ((validate.errors ?? []) as readonly Violation[]);
    } catch (error) {
      // Some compiled code breaks: where objects are compared, on a member called `valueOf`; of some schemas, on a `not`.
      if (!(error instanceof TypeError)) throw error;
      return needsCompiler ? CANNOT_TELL : interpret()(value);
    }
  };
}

function findProblems(check: Check, value: Json, name: string, budget: CheckBudget): readonly string[] {
  budget.renew();
  try {
    const found = check(withoutExactNumbers(value));
    if (found.length === 0) return NOTHING;
    return found.slice(0, MAX_PROBLEMS).map((one) => toProblem(one, name));
  } catch (error) {
    // A schema may also lead back to itself by ways that cannot be seen before, until there is no stack left.
    if (error instanceof CheckTooLong || error instanceof RangeError)
      return ['checking this against the schema would take too long'];
    throw error;
  }
}

function createCompiler(dialect: '2020-12' | 'draft-07', budget: CheckBudget): Ajv {
  const Compiler =
    dialect === '2020-12'
      ? (require('ajv/dist/2020.js') as typeof Draft2020).Ajv2020
      : (require('ajv') as typeof Draft7).Ajv;
  const formats = require('ajv-formats') as typeof Formats;
  const regExp = Object.assign(linearPatterns(budget), { code: 'linearPatterns' });
  const ajv = new Compiler({
    strict: false,
    allErrors: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    ownProperties: true,
    multipleOfPrecision: 9,
    // A part that is referred to many times would be compiled as often.
    inlineRefs: false,
    code: { regExp, optimize: false },
  });
  formats.default(ajv, { mode: 'fast' });
  skipLongTexts(ajv, budget);
  checkLengths(ajv, budget);
  checkUniqueItems(ajv, budget);
  countSteps(ajv, budget);
  return ajv;
}

function toProblem({ instancePath, keyword, message, params }: Violation, name: string): string {
  const path = `${name}${instancePath.replaceAll('/', '.')}`;
  const { additionalProperty, allowedValues } = params as {
    additionalProperty?: string;
    allowedValues?: unknown[];
  };
  if (keyword === 'additionalProperties' && additionalProperty !== undefined)
    return `${path}: has no property "${cutText(additionalProperty, 100)}"`;
  if (keyword === 'enum' && allowedValues !== undefined)
    return `${path}: must be one of ${cutText(JSON.stringify(allowedValues), 200)}`;
  return `${path}: ${message}`;
}

/** The compiler knows plain numbers only; the value itself keeps its digits. */
function withoutExactNumbers(value: Json): unknown {
  if (typeof value !== 'object' || value === null || !hasExactNumber(value)) return value;
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function hasExactNumber(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof JsonNumber) return true;
  const members = value as JsonObject;
  for (const key in members) {
    const member = members[key];
    if (typeof member === 'object' && hasExactNumber(member)) return true;
  }
  return false;
}

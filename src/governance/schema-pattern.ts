import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import { once } from '../kernel/index.js';
import type { CheckBudget } from './check-budget.js';
import { patternSize } from './pattern-size.js';

// Loaded with the first pattern.
const require = createRequire(import.meta.url);

/** The part of `RegExp` that the schema compiler uses. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The compiler keys patterns by this; without it all patterns of an instance would be one. */
  toString(): string;
}

/** What a character of a text costs, and a part of a pattern when it is first used, compared with a step of a schema. */
const STEPS_PER_CHARACTER = 10;
/** The engine is in many places of a pattern at once: a character may cost as much as there are. */
const PLACES_PER_STEP = 2;
const STEPS_PER_PART = 50;
/** A larger pattern is not checked: the engine takes up to 5 µs to read a part, and everybody waits for that. */
const MAX_PARTS = 8_000;

/**
 * Patterns come from upstreams, so they run in an engine whose time is linear in the text. What it cannot express
 * (look-around, back-references) is not checked rather than run unsafely; the upstream still checks it. A pattern is
 * read when a text meets it.
 */
export function linearPatterns(budget: CheckBudget): (pattern: string, flags?: string) => LinearPattern {
  return (pattern, flags = '') => {
    const compile = once(() => compilePattern(pattern, budget));
    return {
      test(text) {
        const matches = compile();
        return matches === undefined || matches(text);
      },
      toString: () => `/${pattern}/${flags}`,
    };
  };
}

function compilePattern(pattern: string, budget: CheckBudget): ((text: string) => boolean) | undefined {
  if (pattern.length > MAX_PARTS) return undefined;
  const parts = patternSize(pattern);
  if (parts > MAX_PARTS) return undefined;
  budget.spend(parts * STEPS_PER_PART);
  try {
    if (isPlainPattern(pattern)) {
      const plain = new RegExp(pattern, 'u');
      return (text) => {
        budget.spendOn(text);
        return plain.test(text);
      };
    }
    const { RE2JS } = require('re2js') as typeof Re2;
    const compiled = RE2JS.compile(pattern);
    const stepsPerCharacter = Math.max(STEPS_PER_CHARACTER, compiled.programSize() / PLACES_PER_STEP);
    return (text) => {
      budget.spend(text.length * stepsPerCharacter);
      return compiled.matcher(text).find();
    };
  } catch {
    return undefined;
  }
}

const ATOM = String.raw`(?:[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS.\-/+*?()[\]{}|^$]|\[\^?(?:[^\\[\]]|\\[dDwWsS.\-/+*?()[\]{}|^$])+\])`;
const COUNT = String.raw`(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})?`;
const PLAIN = new RegExp(`^(\\^?)((?:${ATOM}${COUNT})*)\\$?$`, 'u');
const COUNTS = new RegExp(`${ATOM}(${COUNT})`, 'gu');
const MAX_PLAIN_LENGTH = 200;

/**
 * Whether `RegExp` needs linear time too, at a fraction of the cost: no groups, no choices, and no two counts of which
 * each could give the other's characters back. So are most patterns, and all texts that are really long meet such ones.
 */
export function isPlainPattern(pattern: string): boolean {
  if (pattern.length > MAX_PLAIN_LENGTH) return false;
  const [, start, rest = ''] = PLAIN.exec(pattern) ?? [];
  if (start === undefined) return false;
  let endless = 0;
  for (const [, count = ''] of rest.matchAll(COUNTS)) {
    if (count === '*' || count === '+' || count.endsWith(',}')) endless++;
    else if (/,/.test(count) && !/^\{\d,[1-4]\}$/.test(count)) return false;
  }
  return endless <= (start === '^' ? 1 : 0);
}

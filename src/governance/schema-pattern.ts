import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

// Loaded with the first pattern.
const require = createRequire(import.meta.url);

/** The part of `RegExp` that the schema compiler uses. */
export interface LinearPattern {
  test(text: string): boolean;
  /** The compiler keys patterns by this; without it all patterns of an instance would be one. */
  toString(): string;
}

/**
 * Patterns come from upstreams, so they run in an engine whose time is linear in the text. What it cannot express
 * (look-around, back-references) is not checked rather than run unsafely; the upstream still checks it.
 */
export function toLinearPattern(pattern: string, flags = ''): LinearPattern {
  const name = `/${pattern}/${flags}`;
  try {
    const { RE2JS } = require('re2js') as typeof Re2;
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find(), toString: () => name };
  } catch {
    return { test: () => true, toString: () => name };
  }
}

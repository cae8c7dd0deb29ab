import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { once } from '../kernel/index.js';

const require = createRequire(import.meta.url);

/**
 * Checking policies at the start is much work done once: V8 would compile the library anew for speed while it goes on,
 * which takes a second of processor time and 60 MB. With this budget it does so only for what stays busy. Of its 7,000 functions
 * a hub uses some, so each is checked when it is first called, as it is compiled then, and not all at the start.
 *
 * V8 11 puts calls into WebAssembly inline. When it has to undo the function around such a call while the call runs, it
 * must know what kind of value will come back, and it knows numbers only: for a reference, which every function of the
 * library returns, it ends the process with «unreachable code». So it is told not to. There are few such calls, because the
 * engine remembers its decisions.
 */
export const V8_FLAGS: readonly string[] = [
  '--wasm-lazy-validation',
  '--wasm-tiering-budget=256000000',
  '--no-turbo-inline-js-wasm-calls',
];

/** The policy library, loaded when a policy is first read. */
export const cedar: () => typeof Cedar = once(() => {
  for (const flag of V8_FLAGS) setFlagsFromString(flag);
  return require('@cedar-policy/cedar-wasm/nodejs') as typeof Cedar;
});

/** Of the policy library, without loading it. */
export function cedarVersion(): string {
  const library = require.resolve('@cedar-policy/cedar-wasm/nodejs');
  const manifest = library.replace(/[^/\\]+$/, 'package.json');
  return (require(manifest) as { readonly version: string }).version;
}

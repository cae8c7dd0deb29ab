import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { once } from '../kernel/index.js';

const require = createRequire(import.meta.url);

/**
 * The policy library, loaded when a policy is first read. Checking policies at the start is much work done once: V8 would
 * compile the library anew for speed while it goes on, which takes a second of processor time and 60 MB. With this
 * budget it does so only for what stays busy.
 *
 * V8 11 was seen to end the process with «unreachable code» while it undid an optimised function in the midst of a call of
 * another kind. Calls into WebAssembly that it puts inline are such calls, so it is told not to; there are few of them,
 * because the engine remembers its decisions.
 */
export const cedar: () => typeof Cedar = once(() => {
  setFlagsFromString('--wasm-tiering-budget=256000000');
  setFlagsFromString('--no-turbo-inline-js-wasm-calls');
  return require('@cedar-policy/cedar-wasm/nodejs') as typeof Cedar;
});

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { once } from '../kernel/index.js';

const require = createRequire(import.meta.url);

/**
 * The policy library, loaded when a policy is first read. Checking policies at the start is much work done once: V8 would
 * compile the library anew for speed while it goes on, which takes a second of processor time and 60 MB. With this
 * budget it does so only for what stays busy.
 */
export const cedar: () => typeof Cedar = once(() => {
  setFlagsFromString('--wasm-tiering-budget=256000000');
  return require('@cedar-policy/cedar-wasm/nodejs') as typeof Cedar;
});

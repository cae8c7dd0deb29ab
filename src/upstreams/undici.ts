import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loaded when it is first needed: servers without TLS are reached without it. */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}

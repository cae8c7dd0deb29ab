import { createRequire } from 'node:module';
import type * as Jsonc from 'jsonc-parser';
import type * as Yaml from 'yaml';

// A hub reads one file of one of these languages, if any.
const require = createRequire(import.meta.url);

export function jsonc(): typeof Jsonc {
  return require('jsonc-parser') as typeof Jsonc;
}

export function yaml(): typeof Yaml {
  return require('yaml') as typeof Yaml;
}

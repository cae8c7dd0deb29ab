import { expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';

/**
 * What takes much memory is loaded when it is first needed. One import at the head of a file would load it at every start, and
 * the policy engine before V8 is told not to compile it twice.
 */
const LATE = [
  '@cedar-policy/cedar-wasm/nodejs',
  'undici',
  'ajv',
  're2js',
  'yaml',
  'jsonc-parser',
  '@hono/node-server',
];
/** Loaded by commands only. */
const COMMANDS = ['src/cli/hub-client.ts'];

const sources = repositoryFiles().filter((path) => /^src\/.*(?<!\.test)\.ts$/.test(path));

test.each(LATE)('%s is not loaded before it is needed', (name) => {
  const statement = new RegExp(`^import (?!type\\b)[^;]*?from '${name}(?:/[^']*)?'`, 'm');
  const early = sources.filter((path) => statement.test(readRepositoryFile(path)));
  expect(early.filter((path) => !COMMANDS.includes(path))).toEqual([]);
});

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { HubError } from '../../kernel/index.js';
import { jsonc, yaml } from './languages.js';

/** Under these names a configuration is found in the working folder; the first that exists counts. */
export const CONFIG_FILES = ['crosspoint.yaml', 'crosspoint.yml', 'crosspoint.json', 'crosspoint.jsonc'];

/** The file that was named, or the one in the working folder. */
export function findConfigFile(named: string | undefined, folder: string): string | undefined {
  if (named === undefined) return CONFIG_FILES.map((name) => resolve(folder, name)).find(existsSync);
  const path = resolve(folder, named);
  if (!existsSync(path)) throw new HubError('config_invalid', `${named}: there is no such file`);
  return path;
}

/** The content as plain data. Errors name the line. */
export function readConfigFile(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.json') || path.endsWith('.jsonc') ? readJson(path, text) : readYaml(path, text);
}

function readYaml(path: string, text: string): unknown {
  const document = yaml().parseDocument(text, { prettyErrors: true });
  const problem = document.errors[0];
  // What follows on further lines is a picture of the place.
  const [told = ''] = problem?.message.split(/:?\n/, 1) ?? [];
  if (problem !== undefined) throw new HubError('config_invalid', `${path}: ${told}`);
  return document.toJS() ?? {};
}

function readJson(path: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = jsonc().parse(text, errors, { allowTrailingComma: true });
  const problem = errors[0];
  if (problem === undefined) return value ?? {};
  const line = text.slice(0, problem.offset).split('\n').length;
  throw new HubError(
    'config_invalid',
    `${path}: line ${line}: ${jsonc().printParseErrorCode(problem.error)}`,
  );
}

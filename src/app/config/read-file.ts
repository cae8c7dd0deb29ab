import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import type { Node } from 'yaml';
import { HubError } from '../../kernel/index.js';
import { jsonc, yaml } from './languages.js';
import { explainJsonError } from './json-error.js';
import { readText } from './read-text.js';

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
  const text = readText(path);
  return path.endsWith('.json') || path.endsWith('.jsonc') ? readJson(path, text) : readYaml(path, text);
}

function readYaml(path: string, text: string): unknown {
  const document = yaml().parseDocument(text, { prettyErrors: true, uniqueKeys: isSameName });
  const problem = document.errors[0];
  // What follows on further lines is a picture of the place.
  const [told = ''] = problem?.message.split(/:?\n/, 1) ?? [];
  if (problem?.code === 'MULTIPLE_DOCS')
    throw new HubError(
      'config_invalid',
      `${path}: has several documents; there can be one, without --- after it`,
    );
  if (problem !== undefined) throw new HubError('config_invalid', `${path}: ${told}`);
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch {
    // The library quotes what follows the asterisk, which may be a password that nobody put in quotes.
    const advice = 'an alias (*…) that leads nowhere, or too many of them: quote a text that begins with *';
    throw new HubError('config_invalid', `${path}: ${advice}`);
  }
  const odd = findOdd(content);
  if (odd !== undefined) throw new HubError('config_invalid', `${path}: ${odd}`);
  return withoutEmpty(content);
}

type Plain = string | number | boolean | null;

/** Whatever they are in YAML, such as a number and a text: they become the name of one member. */
function isSameName(one: Node, other: Node): boolean {
  const { isScalar } = yaml();
  if (!isScalar<Plain>(one) || !isScalar<Plain>(other)) return false;
  return String(one.value ?? '') === String(other.value ?? '');
}

const DEEPEST = 64;
const PROTO = '__proto__ is no name for anything';

/** What would go on as something else than it looks, or not at all. */
function findOdd(content: unknown, depth = 0): string | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  if (depth > DEEPEST)
    return `something is within more than ${DEEPEST} others, or an alias (*…) within what it names`;
  if (Array.isArray(content)) return firstOdd(content, depth);
  if (Object.getPrototypeOf(content) !== Object.prototype)
    return 'a tag (!!…) makes something that no setting is';
  return Object.hasOwn(content, '__proto__') ? PROTO : firstOdd(Object.values(content), depth);
}

function firstOdd(items: readonly unknown[], depth: number): string | undefined {
  for (const item of items) {
    const odd = findOdd(item, depth + 1);
    if (odd !== undefined) return odd;
  }
  return undefined;
}

/** A section of which only the heading or comments are left, as when every connector was commented out, says nothing. */
function withoutEmpty(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  return Object.fromEntries(Object.entries(content).filter(([, section]) => section !== null));
}

function readJson(path: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = jsonc().parse(text, errors, { allowTrailingComma: true });
  const invalid = (offset: number, problem: string): HubError =>
    new HubError('config_invalid', `${path}: line ${text.slice(0, offset).split('\n').length}: ${problem}`);
  const [problem] = errors;
  if (problem !== undefined) throw invalid(problem.offset, explainJsonError(text, problem));
  const lost = findLost(text);
  if (lost?.key === '__proto__') throw invalid(lost.offset, PROTO);
  if (lost !== undefined) throw invalid(lost.offset, `"${lost.key}" stands there twice`);
  return value ?? {};
}

/** A parser keeps the last of several members of one name, so that a connector would vanish without a word, and takes one name for something else. */
function findLost(text: string): { readonly key: string; readonly offset: number } | undefined {
  const open: Set<string>[] = [];
  let found: { readonly key: string; readonly offset: number } | undefined;
  jsonc().visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, offset) => {
      const keys = open.at(-1);
      if (keys?.has(key) === true || key === '__proto__') found ??= { key, offset };
      keys?.add(key);
    },
  });
  return found;
}

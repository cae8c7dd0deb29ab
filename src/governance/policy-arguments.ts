import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { JsonNumber, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';

/** The arguments that policies ask for by name, and the ways to them; `any` if that cannot be told. */
export type ArgumentNames = ReadonlySet<string> | 'any';

/** Whether an argument is there, and what it is. */
const QUESTIONS = new Set(['hasTag', 'getTag']);

/** Those that stand anywhere in the conditions of a statement. */
export function argumentNames(conditions: unknown): ArgumentNames {
  const names = new Set<string>();
  return collectNames(conditions, names) ? names : 'any';
}

function collectNames(part: unknown, into: Set<string>): boolean {
  if (typeof part !== 'object' || part === null) return true;
  return Object.entries(part).every(([key, member]) => {
    if (QUESTIONS.has(key)) {
      const name = (member as { readonly right?: { readonly Value?: unknown } }).right?.Value;
      if (typeof name !== 'string') return false;
      addWays(name, into);
    }
    return collectNames(member, into);
  });
}

/** For `page.size` also `page`. A dot that is part of a key has a backslash before it, and ends nothing. */
function addWays(name: string, into: Set<string>): void {
  for (const { index } of name.matchAll(/(?<!\\)(?:\\\\)*\./g))
    into.add(name.slice(0, name.indexOf('.', index)));
  into.add(name);
}

export function joinArgumentNames(all: Iterable<ArgumentNames>): ArgumentNames {
  const joined = new Set<string>();
  for (const names of all) {
    if (names === 'any') return 'any';
    for (const name of names) joined.add(name);
  }
  return joined;
}

/** Thrown for arguments of which policies ask for more than can be looked at while others wait. */
export class ArgumentsTooLarge extends Error {}

export interface FlatArguments {
  readonly texts: Readonly<Record<string, CedarValueJson>>;
  readonly numbers: Readonly<Record<string, CedarValueJson>>;
}

/** Every value that policies may ask for under its path. Throws `ArgumentsTooLarge`. */
export function flattenArguments(args: JsonObject, names: ArgumentNames): FlatArguments {
  const flat = new Flattening(names);
  if (names === 'any' || names.size > 0) flat.add(args, undefined);
  return flat;
}

/** Bytes of JSON that the policy library takes within 100 ms, and what a value costs besides its own. */
const MOST_BYTES = 256 * 1024;
const BYTES_PER_VALUE = 128;

class Flattening implements FlatArguments {
  readonly texts = Object.create(null) as Record<string, CedarValueJson>;
  readonly numbers = Object.create(null) as Record<string, CedarValueJson>;
  readonly #names: ArgumentNames;
  #left = MOST_BYTES;

  constructor(names: ArgumentNames) {
    this.#names = names;
  }

  add(value: Json, path: string | undefined): void {
    if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) {
      for (const [key, member] of Object.entries(value)) {
        if (member === undefined) continue;
        // A dot in a key is written `\.`, else {"a.b": 1} could stand in front of {"a": {"b": 2}}.
        const part = whole(key).replaceAll(/[.\\]/g, '\\$&');
        const at = path === undefined ? part : `${path}.${part}`;
        if (this.#names === 'any' || this.#names.has(at)) this.add(member, at);
      }
      return;
    }
    if (path !== undefined) this.#put(value, path);
  }

  #put(value: string | number | boolean | JsonNumber | null, path: string): void {
    const text = value instanceof JsonNumber ? value.text : whole(String(value));
    this.#spend(path, text);
    this.texts[path] = text;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return;
    this.#spend(path, '');
    this.numbers[path] = value;
  }

  /** Lengths first: only what may fit is worth counting. */
  #spend(path: string, text: string): void {
    this.#left -= BYTES_PER_VALUE;
    if (path.length + text.length <= this.#left) this.#left -= bytesOf(path) + bytesOf(text);
    else throw new ArgumentsTooLarge();
    if (this.#left < 0) throw new ArgumentsTooLarge();
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

const HALF = /\p{Surrogate}/gu;

/** Cedar takes UTF-8, which has nothing for half a surrogate pair. It sees what others make of one. */
export function whole(text: string): string {
  return text.replaceAll(HALF, '\ufffd');
}

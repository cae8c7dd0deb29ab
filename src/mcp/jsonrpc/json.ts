export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface JsonLimits {
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** `refuse` where a policy decides on the value; `last` where we only read what a peer wrote. */
  readonly duplicateKeys: 'refuse' | 'last';
}

/** What we accept from clients. */
export const STRICT_JSON: JsonLimits = { maxDepth: 64, maxNodes: 100_000, duplicateKeys: 'refuse' };
/** What we accept from upstreams: larger, because a catalogue of thousands of tools is legitimate. */
export const TOLERANT_JSON: JsonLimits = { maxDepth: 256, maxNodes: 2_000_000, duplicateKeys: 'last' };

export type JsonFault = 'syntax' | 'depth' | 'nodes' | 'duplicate_key';

export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly fault: JsonFault;
  constructor(fault: JsonFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * A number that a double would round, kept as it was written. It behaves like the nearest number in
 * arithmetic and `JSON.stringify`; `stringifyJson` writes the original digits.
 */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  valueOf(): number {
    return Number(this.text);
  }
  toJSON(): number | string {
    if (!writingExactly) return Number(this.text);
    wroteExactNumber = true;
    return MARK + this.text;
  }
}

// JSON.stringify offers no way to emit raw text, so exact numbers travel through it as marked strings and
// are unquoted afterwards. The mark is random: no peer can forge one. Both flags live for one synchronous call.
const MARK = `\u0001${crypto.randomUUID()}:`;
const MARKED = new RegExp(`"\\\\u0001${MARK.slice(1)}([-+.0-9eE]+)"`, 'g');
let writingExactly = false;
let wroteExactNumber = false;

export function stringifyJson(value: unknown): string {
  writingExactly = true;
  wroteExactNumber = false;
  try {
    const text = JSON.stringify(value);
    return wroteExactNumber ? text.replace(MARKED, '$1') : text;
  } finally {
    writingExactly = false;
  }
}

/**
 * `JSON.parse` with bounds on depth and size, no silent choice between duplicate keys, and no silent rounding.
 * The text is measured before it is parsed, so a bomb costs one pass over its characters.
 */
export function parseJson(text: string, limits: JsonLimits = STRICT_JSON): Json {
  const shape = measure(text, limits);
  let value: Json;
  try {
    value = shape.inexact.length === 0 ? (JSON.parse(text) as Json) : parseExactly(text, shape.inexact);
  } catch {
    throw new JsonError('syntax', 'not valid JSON');
  }
  // Every member of an object is written with one colon; a key that occurs twice leaves fewer members than colons.
  if (limits.duplicateKeys === 'refuse' && shape.members > 0 && countMembers(value) !== shape.members) {
    throw new JsonError('duplicate_key', 'duplicate key in an object');
  }
  return value;
}

interface Shape {
  readonly members: number;
  /** Start and end of each number token that a double cannot hold. */
  readonly inexact: readonly (readonly [number, number])[];
}

const NONE: readonly (readonly [number, number])[] = [];

function measure(text: string, limits: JsonLimits): Shape {
  let depth = 0;
  let nodes = 1;
  let members = 0;
  let inexact = NONE as [number, number][];
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i = endOfString(text, i);
    } else if (c === 0x3a) {
      members++;
    } else if (c === 0x2c) {
      nodes++;
    } else if (c === 0x7b || c === 0x5b) {
      nodes++;
      if (++depth > limits.maxDepth)
        throw new JsonError('depth', `nested deeper than ${limits.maxDepth} levels`);
    } else if (c === 0x7d || c === 0x5d) {
      depth--;
    } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
      const end = endOfNumber(text, i);
      if (end - i > 15 || hasExponent(text, i, end)) {
        if (!isExact(text.slice(i, end))) {
          if (inexact === NONE) inexact = [];
          inexact.push([i, end]);
        }
      }
      i = end - 1;
    }
    if (nodes > limits.maxNodes) throw new JsonError('nodes', `more than ${limits.maxNodes} values`);
  }
  return { members, inexact };
}

/** Index of the closing quote; an unterminated string ends the scan and fails in `JSON.parse`. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return (backslashes & 1) === 1;
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const partOfNumber =
      (c >= 0x30 && c <= 0x39) || c === 0x2e || c === 0x65 || c === 0x45 || c === 0x2b || c === 0x2d;
    if (!partOfNumber) break;
  }
  return i;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i) | 0x20;
    if (c === 0x65) return true;
  }
  return false;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the nearest double, written out again, has the same digits. Text that is no number is left to `JSON.parse`. */
function isExact(token: string): boolean {
  if (!NUMBER.test(token)) return true;
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return digitsOf(token) === digitsOf(String(value));
}

/** Significant digits and decimal exponent, so that `1.50e3` and `1500` compare equal. */
function digitsOf(token: string): string {
  const [mantissa = '', exponent = '0'] = token.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`;
}

function parseExactly(text: string, inexact: Shape['inexact']): Json {
  let marked = '';
  let from = 0;
  for (const [start, end] of inexact) {
    marked += `${text.slice(from, start)}${JSON.stringify(MARK + text.slice(start, end))}`;
    from = end;
  }
  marked += text.slice(from);
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new JsonNumber(value.slice(MARK.length)) : value,
  ) as Json;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item);
    return count;
  }
  const members = value as Record<string, unknown>;
  for (const key in members) {
    count++;
    const member = members[key];
    if (typeof member === 'object') count += countMembers(member);
  }
  return count;
}

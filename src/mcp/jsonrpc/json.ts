import { isExactNumber } from './exact-number.js';
import { JsonError } from './json-error.js';
import { JsonNumber, keepText, parseWithExactNumbers } from './json-number.js';
import { ParseCost } from './parse-cost.js';

/** What JSON text can stand for. Numbers that a double would round are a `JsonNumber`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** An object of JSON. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface JsonLimits {
  readonly maxDepth: number;
  /** Values in the document. An empty array or object counts as two, a number that a double would round as five. */
  readonly maxNodes: number;
  /** What parsing may cost, in values of the cheapest kind; without it only their number counts. */
  readonly maxCost?: number;
  /** `refuse` where a policy decides on the value; `last` where we only read what a peer wrote. */
  readonly duplicateKeys: 'refuse' | 'last';
}

/** What we accept from clients. */
export const STRICT_JSON: JsonLimits = { maxDepth: 64, maxNodes: 100_000, duplicateKeys: 'refuse' };
/**
 * What we accept from upstreams: larger, because a catalogue of thousands of tools is legitimate, but nothing for which
 * everybody would have to wait much longer than a tenth of a second.
 */
export const TOLERANT_JSON: JsonLimits = {
  maxDepth: 256,
  maxNodes: 2_000_000,
  maxCost: 2_000_000,
  duplicateKeys: 'last',
};
/** Shorter texts cannot cost too much, whatever they are. */
const CHEAP_LENGTH = 256 * 1024;

const BYTE_ORDER_MARK = 0xfeff;

/**
 * `JSON.parse` with bounds on depth and size, no silent choice between duplicate keys, and no silent rounding: a number
 * that a double cannot hold becomes a `JsonNumber`. The text is measured before it is parsed, so a bomb costs one pass
 * over its characters. One leading byte order mark is ignored (RFC 8259, section 8.1).
 */
export function parseJson(text: string, limits: JsonLimits = STRICT_JSON): Json {
  return parseMeasured(text, limits).value;
}

const ANSWER_HEAD = /^\{"jsonrpc":"2\.0","id":(?:[0-9]{1,16}|"[A-Za-z0-9_-]{0,64}"),"result":(?=\{)/;

/**
 * The same for a message of a peer. If it is an answer, the text of its result is kept for whoever writes that again.
 * Only where no key occurs twice, because whoever reads the text must see what was read here; and where it is one line,
 * because messages may be sent as lines.
 */
export function parseMessage(text: string, limits: JsonLimits): Json {
  const { document, value, shape } = parseMeasured(text, limits);
  if (!isRecord(value)) return value;
  const head = ANSWER_HEAD.exec(document)?.[0];
  const { result } = value;
  if (head === undefined || !isRecord(result) || !document.endsWith('}}')) return value;
  if (document.includes('\n') || document.includes('\r')) return value;
  // With these three members and no other, the result ends where the message does.
  if (Object.keys(value).length === 3 && countMembers(value) === shape.members)
    keepText(result, document.slice(head.length, -1));
  return value;
}

function isRecord(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

interface Measured {
  readonly document: string;
  readonly value: Json;
  readonly shape: Shape;
}

function parseMeasured(text: string, limits: JsonLimits): Measured {
  const document = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  const shape = measure(document, limits);
  let value: Json;
  try {
    value = (
      shape.inexact === undefined ? JSON.parse(document) : parseWithExactNumbers(document, shape.inexact)
    ) as Json;
  } catch {
    throw new JsonError('syntax', 'not valid JSON');
  }
  // Every member of an object is written with one colon; a key that occurs twice leaves fewer members than colons.
  if (limits.duplicateKeys === 'refuse' && shape.members > 0 && countMembers(value) !== shape.members) {
    throw new JsonError('duplicate_key', 'duplicate key in an object');
  }
  return { document, value, shape };
}

interface Shape {
  readonly members: number;
  /** Where the number tokens that a double cannot hold start and end. */
  readonly inexact: readonly number[] | undefined;
}

/** Longer tokens may have more digits than every double can hold. */
const SURELY_EXACT_LENGTH = 15;
/** An exact number costs this much more time and memory than another value. */
const EXTRA_NODES = 4;

function measure(text: string, limits: JsonLimits): Shape {
  const isCostly = limits.maxCost !== undefined && text.length > CHEAP_LENGTH;
  const cost = isCostly ? new ParseCost(limits.maxCost) : undefined;
  let depth = 0;
  let nodes = 1;
  let members = 0;
  let inexact: number[] | undefined;
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      const close = endOfString(text, i);
      cost?.addText(text, i, close);
      i = close;
    } else if (c === 0x3a) {
      members++;
    } else if (c === 0x2c) {
      if (++nodes > limits.maxNodes) throw tooManyNodes(limits);
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > limits.maxDepth) throw tooDeep(limits);
      if (++nodes > limits.maxNodes) throw tooManyNodes(limits);
      cost?.addContainer();
    } else if (c === 0x7d || c === 0x5d) {
      depth--;
    } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
      const end = endOfNumber(text, i);
      cost?.addNumber(text, i, end);
      const suspicious = end - i > SURELY_EXACT_LENGTH || hasExponent(text, i, end);
      if (suspicious && !isExactNumber(text, i, end)) {
        (inexact ??= []).push(i, end);
        cost?.addExactNumber();
        if ((nodes += EXTRA_NODES) > limits.maxNodes) throw tooManyNodes(limits);
      }
      i = end - 1;
    }
  }
  return { members, inexact };
}

function tooDeep(limits: JsonLimits): JsonError {
  return new JsonError('depth', `nested deeper than ${limits.maxDepth} levels`);
}

function tooManyNodes(limits: JsonLimits): JsonError {
  return new JsonError('nodes', `more than ${limits.maxNodes} values`);
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
    if ((text.charCodeAt(i) | 0x20) === 0x65) return true;
  }
  return false;
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

import { JsonError } from './json-error.js';

/**
 * What V8 takes to parse a value, in units of a small integer, which is about 50 ns. Containers, and numbers that need
 * memory of their own, take a few; long ones are written out again to see what a double makes of them, and those that it
 * would change become objects. Keys, and values of up to ten characters, are looked up among all texts that it knows:
 * one that is new takes many.
 */
const CONTAINER = 3;
const OTHER_NUMBER = 4;
const LONG_NUMBER = 12;
const EXACT_NUMBER = 20;
const LONG_TEXT = 3;
const NEW_TEXT = 20;
const KNOWN_LENGTH = 10;
/** Integers of fewer digits need no memory of their own. */
const SMALL_DIGITS = 9;
const LONG_DIGITS = 15;

/** Adds up what parsing a text will cost. Throws `JsonError` when that is too much. */
export class ParseCost {
  readonly #texts: SeenTexts;
  #left: number;

  constructor(units: number) {
    this.#texts = new SeenTexts(Math.ceil(units / NEW_TEXT));
    this.#left = units;
  }

  addContainer(): void {
    this.#spend(CONTAINER);
  }

  addNumber(text: string, start: number, end: number): void {
    if (end - start > LONG_DIGITS) this.#spend(LONG_NUMBER);
    else this.#spend(isSmall(text, start, end) ? 1 : OTHER_NUMBER);
  }

  /** Of a number that was added and is kept as it was written. */
  addExactNumber(): void {
    this.#spend(EXACT_NUMBER);
  }

  /** From one quote to the other. */
  addText(text: string, open: number, close: number): void {
    if (close - open > KNOWN_LENGTH + 1 && !isKey(text, close)) this.#spend(LONG_TEXT);
    else this.#spend(this.#texts.has(text, open + 1, close) ? 1 : NEW_TEXT);
  }

  #spend(units: number): void {
    if ((this.#left -= units) < 0) throw new JsonError('nodes', 'takes too long to parse');
  }
}

function isKey(text: string, close: number): boolean {
  let i = close + 1;
  while (text.charCodeAt(i) <= 0x20) i++;
  return text.charCodeAt(i) === 0x3a;
}

function isSmall(text: string, start: number, end: number): boolean {
  if (end - start > SMALL_DIGITS) return false;
  for (let i = start + 1; i < end; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return false;
  }
  return true;
}

const FNV_PRIME = 0x01000193;

/** Knows texts by a hash of 32 bits, which begins anywhere, so that nobody can make texts that look alike to it. */
class SeenTexts {
  readonly #hashes: Int32Array;
  readonly #mask: number;
  readonly #seed = Math.trunc(Math.random() * 2 ** 32) | 0;

  /** With room for more than `most`: whoever asks stops when so many were new. */
  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(most * 1.25 + 2));
    this.#hashes = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** Whether it was asked for before. */
  has(text: string, start: number, end: number): boolean {
    let hash = this.#seed;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
    hash ^= hash >>> 15;
    // Zero is a place that is free.
    if (hash === 0) hash = 1;
    let at = hash & this.#mask;
    while (this.#hashes[at] !== 0) {
      if (this.#hashes[at] === hash) return true;
      at = (at + 1) & this.#mask;
    }
    this.#hashes[at] = hash;
    return false;
  }
}

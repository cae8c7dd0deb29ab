import type { NotificationMessage } from '../jsonrpc/index.js';

const METHOD = 'notifications/progress';
const VERSION = '"jsonrpc":"2.0"';
const BODY = `"method":"${METHOD}","params":{`;
const VERSION_FIRST = `{${VERSION},${BODY}`;
const VERSION_LAST = `{${BODY}`;
const LAST_WORDS = `},${VERSION}}`;
const TOKEN = '"progressToken":';
const PROGRESS = '"progress":';
const TOTAL = ',"total":';
const MESSAGE = ',"message":"';
/** No longer than every double can hold exactly. */
const MOST_TOKEN_DIGITS = 15;
const MOST_DIGITS = 9;
const MOST_DECIMALS = 5;
const LONGEST_MESSAGE = 1024;
/** No notification that is read here is longer. */
export const LONGEST_PROGRESS = LONGEST_MESSAGE + 256;

const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const BACKSLASH = 0x5c;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** What a progress notification says. */
export interface ProgressRead {
  readonly token: number;
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

/**
 * Reads what servers say most often: progress notifications in the words in which the usual libraries write them, about
 * requests of ours, which are numbered. What it read last is in its own members, so that nothing is made for each.
 */
export class ProgressReader implements ProgressRead {
  token = 0;
  progress = 0;
  total: number | undefined;
  message: string | undefined;
  /** Where the number of `progress` began and ended in the text. */
  numberStart = 0;
  numberEnd = 0;
  #at = 0;

  /** Where the notification that begins at `start` ends; -1 for everything else, which is for the parser to read. */
  read(text: string, start: number): number {
    const isVersionFirst = hasWords(text, start, VERSION_FIRST);
    if (!isVersionFirst && !hasWords(text, start, VERSION_LAST)) return -1;
    this.#at = start + (isVersionFirst ? VERSION_FIRST.length : VERSION_LAST.length);
    if (!this.#readParams(text)) return -1;
    if (!isVersionFirst) return this.#skip(text, LAST_WORDS) ? this.#at : -1;
    const at = this.#at;
    return text.charCodeAt(at) === CLOSE_BRACE && text.charCodeAt(at + 1) === CLOSE_BRACE ? at + 2 : -1;
  }

  /** Reads only the number, as that of another notification that else says the same. Where it ends, or -1. */
  readNumber(text: string, start: number): number {
    this.#at = start;
    this.progress = this.#readNumber(text);
    return this.progress === -1 ? -1 : this.#at;
  }

  #readParams(text: string): boolean {
    if (this.#readToken(text)) {
      if (text.charCodeAt(this.#at) !== COMMA) return false;
      this.#at++;
      return this.#readAmounts(text);
    }
    if (!this.#readAmounts(text) || text.charCodeAt(this.#at) !== COMMA) return false;
    this.#at++;
    return this.#readToken(text);
  }

  #readToken(text: string): boolean {
    if (!this.#skip(text, TOKEN)) return false;
    this.token = this.#readDigits(text, MOST_TOKEN_DIGITS);
    return this.token !== -1;
  }

  #readAmounts(text: string): boolean {
    if (!this.#skip(text, PROGRESS)) return false;
    this.numberStart = this.#at;
    this.progress = this.#readNumber(text);
    if (this.progress === -1) return false;
    this.numberEnd = this.#at;
    this.total = undefined;
    if (this.#skip(text, TOTAL)) {
      const total = this.#readNumber(text);
      if (total === -1) return false;
      this.total = total;
    }
    this.message = undefined;
    return !this.#skip(text, MESSAGE) || this.#readMessage(text);
  }

  /** The rest of a text without escapes. */
  #readMessage(text: string): boolean {
    const start = this.#at;
    for (let at = start; at - start <= LONGEST_MESSAGE; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.message = text.slice(start, at);
        this.#at = at + 1;
        return true;
      }
      // Also the end of the text, which has no code.
      if (!(code >= SPACE) || code === BACKSLASH) return false;
    }
    return false;
  }

  /** Numerator and denominator are exact, so their quotient is the double that is nearest to what is written. */
  #readNumber(text: string): number {
    const whole = this.#readDigits(text, MOST_DIGITS);
    if (whole === -1 || text.charCodeAt(this.#at) !== DOT) return whole;
    let value = whole;
    let scale = 1;
    let at = this.#at + 1;
    for (let digit = digitAt(text, at); digit !== -1; digit = digitAt(text, ++at)) {
      value = value * 10 + digit;
      scale *= 10;
      if (at - this.#at > MOST_DECIMALS) return -1;
    }
    if (scale === 1) return -1;
    this.#at = at;
    return value / scale;
  }

  /** -1 where there are none, or more than wanted. */
  #readDigits(text: string, most: number): number {
    const start = this.#at;
    let value = digitAt(text, start);
    if (value === -1) return -1;
    let at = start + 1;
    if (value === 0) {
      this.#at = at;
      return digitAt(text, at) === -1 ? 0 : -1;
    }
    for (let digit = digitAt(text, at); digit !== -1; digit = digitAt(text, ++at)) {
      value = value * 10 + digit;
      if (at - start >= most) return -1;
    }
    this.#at = at;
    return value;
  }

  #skip(text: string, words: string): boolean {
    if (!hasWords(text, this.#at, words)) return false;
    this.#at += words.length;
    return true;
  }
}

/** Comparing a part of a text at one go costs a fifth of `startsWith`, which goes character by character. */
export function hasWords(text: string, at: number, words: string): boolean {
  return text.slice(at, at + words.length) === words;
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** The same for a text that is one message. */
export function readProgress(text: string): NotificationMessage | undefined {
  if (!hasWords(text, 0, VERSION_FIRST) && !hasWords(text, 0, VERSION_LAST)) return undefined;
  const read = new ProgressReader();
  if (read.read(text, 0) !== text.length) return undefined;
  const { token, progress, total, message } = read;
  return {
    kind: 'notification',
    method: METHOD,
    params: {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    },
  };
}

import { HubError } from '../../kernel/index.js';

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const NUMBER =
  /[+-]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|inf|nan|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)/y;
const DATE =
  /\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(?:\.\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
};

/** Reads the words of a TOML document one after another. */
export class TomlScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n');
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  fault(problem: string): HubError {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    return new HubError('config_invalid', `line ${line}: ${problem}`);
  }

  looksAt(word: string): boolean {
    return this.#text.startsWith(word, this.#at);
  }

  /** Whether the word was there; it is behind us then. */
  take(word: string): boolean {
    if (!this.looksAt(word)) return false;
    this.#at += word.length;
    return true;
  }

  require(word: string): void {
    if (!this.take(word)) throw this.fault(`expected ${word}`);
  }

  skipSpaces(): void {
    while (this.looksAt(' ') || this.looksAt('\t')) this.#at++;
  }

  /** Spaces, comments and line ends. */
  skipBlank(): void {
    for (;;) {
      this.skipSpaces();
      if (this.looksAt('#')) this.#skipComment();
      if (!this.take('\n')) return;
    }
  }

  requireLineEnd(): void {
    this.skipSpaces();
    if (this.looksAt('#')) this.#skipComment();
    if (!this.done && !this.take('\n')) throw this.fault('expected the end of the line');
  }

  /** `a."b c".d` */
  readKey(): readonly string[] {
    const parts: string[] = [];
    do {
      this.skipSpaces();
      if (this.take('"')) parts.push(this.#readBasic());
      else if (this.take("'")) parts.push(this.#readLiteral());
      else parts.push(this.#match(BARE_KEY) ?? this.#refuse('expected a key'));
      this.skipSpaces();
    } while (this.take('.'));
    return parts;
  }

  /** Anything but arrays and inline tables. Dates stay text. */
  readScalar(): string | number | boolean {
    if (this.take('"""')) return this.#readMultiline('"""', true);
    if (this.take("'''")) return this.#readMultiline("'''", false);
    if (this.take('"')) return this.#readBasic();
    if (this.take("'")) return this.#readLiteral();
    if (this.take('true')) return true;
    if (this.take('false')) return false;
    const date = this.#match(DATE);
    if (date !== undefined) return date;
    const number = this.#match(NUMBER);
    if (number === undefined) throw this.fault('expected a value');
    return toNumber(number);
  }

  #readBasic(): string {
    let text = '';
    for (;;) {
      const character = this.#next();
      if (character === '"') return text;
      if (character === '\n') throw this.fault('a string does not end on its line');
      text += character === '\\' ? this.#readEscape() : character;
    }
  }

  #readLiteral(): string {
    const end = this.#text.indexOf("'", this.#at);
    const text = this.#text.slice(this.#at, end);
    if (end === -1 || text.includes('\n')) throw this.fault('a string does not end on its line');
    this.#at = end + 1;
    return text;
  }

  #readMultiline(quotes: string, escapes: boolean): string {
    this.take('\n');
    let text = '';
    while (!this.take(quotes)) {
      const character = this.#next();
      if (character !== '\\' || !escapes) text += character;
      else if (/^[ \t]*\n/.test(this.#text.slice(this.#at, this.#at + 256))) this.#skipWhiteSpace();
      else text += this.#readEscape();
    }
    // Up to two quotes may stand right before the closing ones.
    while (this.looksAt(quotes.charAt(0)) && text.length > 0) text += this.#next();
    return text;
  }

  #readEscape(): string {
    const kind = this.#next();
    const named = ESCAPES[kind];
    if (named !== undefined) return named;
    const digits = kind === 'u' ? 4 : kind === 'U' ? 8 : kind === 'x' ? 2 : 0;
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = Number.parseInt(hex, 16);
    if (digits === 0 || !/^[0-9a-fA-F]+$/.test(hex) || hex.length < digits || code > 0x10_ff_ff)
      throw this.fault('unknown escape in a string');
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #skipWhiteSpace(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #next(): string {
    if (this.done) throw this.fault('a string does not end');
    return this.#text.charAt(this.#at++);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #refuse(problem: string): never {
    throw this.fault(problem);
  }
}

function toNumber(text: string): number {
  const plain = text.replaceAll('_', '');
  if (plain.endsWith('inf'))
    return plain.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return plain.endsWith('nan') ? Number.NaN : Number(plain);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A number that a double would round, kept as it was written. It behaves like the nearest number in
 * arithmetic and `JSON.stringify`; `stringifyJson` writes the original digits.
 */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    if (!NUMBER.test(text)) throw new RangeError('not the text of a JSON number');
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

// JSON.parse and JSON.stringify cannot carry raw number text, so exact numbers travel through them as marked strings.
// The mark is random and never leaves the process: no peer can forge one. Both flags live for one synchronous call.
const MARK = `${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('base64url')}:`;
const MARKED = new RegExp(`"${MARK}([-+.0-9eE]+)"`, 'g');
let writingExactly = false;
let wroteExactNumber = false;

/** Makes no object of its own: what a class below it adds is added to the given one. */
class Given {
  constructor(value: object) {
    return value;
  }

  static is(value: unknown): value is object {
    return typeof value === 'object' && value !== null;
  }
}

/**
 * The text that an object was read from or written as, kept in the object itself where nobody else sees it and no copy
 * takes it along: finding it costs a fraction of what a table of objects costs.
 */
class KeptText extends Given {
  #text: string;

  constructor(value: object, text: string) {
    super(value);
    this.#text = text;
  }

  static of(value: unknown): string | undefined {
    return Given.is(value) && #text in value ? value.#text : undefined;
  }

  static keep(value: object, text: string): void {
    if (#text in value) value.#text = text;
    else if (Object.isExtensible(value)) void new KeptText(value, text);
  }
}

/** Takes the text of a value that was read from it: it is what will be written. */
export function keepText(value: object, text: string): void {
  KeptText.keep(value, text);
}

/** What was kept for a value, if anything was. */
export function keptText(value: unknown): string | undefined {
  return KeptText.of(value);
}

/** `stringifyJson` for a value that will be written again as it is: that costs nothing then. */
export function stringifyAndKeep(value: object): string {
  const text = stringifyJson(value);
  KeptText.keep(value, text);
  return text;
}

/** `JSON.stringify` that keeps the digits of exact numbers. What has no JSON form is written as `null`. */
export function stringifyJson(value: unknown): string {
  const kept = KeptText.of(value);
  if (kept !== undefined) return kept;
  writingExactly = true;
  wroteExactNumber = false;
  try {
    const text = (JSON.stringify(value) as string | undefined) ?? 'null';
    return wroteExactNumber ? text.replace(MARKED, '$1') : text;
  } finally {
    writingExactly = false;
  }
}

/** `JSON.parse` that makes exact numbers of the tokens between the given borders: start, end, start, end and so on. */
export function parseWithExactNumbers(text: string, borders: readonly number[]): unknown {
  const pieces: string[] = [];
  let from = 0;
  for (const border of borders) {
    pieces.push(text.slice(from, border));
    from = border;
  }
  pieces.push(text.slice(from));
  const marked = pieces.map((piece, i) => (i % 2 === 1 ? `"${MARK}${piece}"` : piece));
  return unmark(JSON.parse(marked.join('')));
}

/** Works in place: the value was just parsed and nobody else has seen it. */
function unmark(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? new JsonNumber(value.slice(MARK.length)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = unmark(value[i]);
    return value;
  }
  for (const key in members) {
    // Quoting made a valid key of a number that stood where only a string may.
    if (key.startsWith(MARK)) throw new SyntaxError('a key must be a string');
    members[key] = unmark(members[key]);
  }
  return value;
}

/**
 * A number that a double would round, as it was written. `writeJson` writes its digits; other code must not be given
 * one, because the browser knows no such number.
 */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Strings, so that nothing in them is taken for a number, and numbers. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Texts without this have no number that would be rounded. */
const SUSPICIOUS = /\d{16}|\d[eE]/;

/** What JSON calls a number, with its digits; undefined for any other text. */
export function readExact(text: string): number | ExactNumber | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return isRounded(text, value) ? new ExactNumber(text) : value;
}

/** `JSON.parse` that keeps the digits of every number. Throws what that throws. */
export function parseJson(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  if (!SUSPICIOUS.test(text)) return plain;
  const mark = createMark();
  const marked = text.replaceAll(TOKENS, (token) =>
    token.startsWith('"') || typeof readExact(token) === 'number' ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  );
}

/** `JSON.stringify` that writes the digits of exact numbers. */
export function writeJson(value: unknown, indent?: number): string {
  const mark = createMark();
  const text = JSON.stringify(
    value,
    (_key, member: unknown) => (member instanceof ExactNumber ? mark + member.text : member),
    indent,
  );
  return (text as string | undefined)?.replaceAll(new RegExp(`"${mark}([-+.0-9eE]+)"`, 'g'), '$1') ?? 'null';
}

/** `1.50` and `1.5` are the same number, `9007199254740993` and what a double makes of it are not. */
function isRounded(text: string, value: number): boolean {
  return !Number.isFinite(value) || digitsOf(text) !== digitsOf(String(value));
}

function digitsOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  // By hand: a regular expression is quadratic on zeros inside.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const significant = digits.slice(0, end);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Random, so that no text of somebody else's can pass for a number. */
function createMark(): string {
  return `${crypto.getRandomValues(new Uint32Array(3)).join('-')}:`;
}

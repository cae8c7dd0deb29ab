/** The nearest double, written out again, has all of so many digits, if it is neither very large nor very small. */
const SURE_DIGITS = 15;
/** No double is written with more. */
const MOST_DIGITS = 17;
/** Numbers of at most this length before the exponent, and at most this exponent, are neither large nor small. */
const ORDINARY_LENGTH = 150;
const ORDINARY_EXPONENT = 100;

/**
 * Whether the nearest double, written out again, is the same number as the one that stands there. The sign of a zero does
 * not count. Of what is no number it says anything: neither a double nor a `JsonNumber` can be made of that.
 */
export function isExactNumber(text: string, start: number, end: number): boolean {
  let digits = 0;
  let significant = 0;
  let first = start;
  let last = start;
  let point = -1;
  let at = start;
  for (; at < end; at++) {
    const c = text.charCodeAt(at);
    if ((c | 0x20) === 0x65) break;
    if (c === 0x2e) point = at;
    if (c < 0x30 || c > 0x39 || (c === 0x30 && digits === 0)) continue;
    if (digits++ === 0) first = at;
    if (c === 0x30) continue;
    significant = digits;
    last = at;
  }
  if (significant > MOST_DIGITS) return false;
  const exponent = at === end ? 0 : Number(text.slice(at + 1, end));
  const isOrdinary = at - start <= ORDINARY_LENGTH && Math.abs(exponent) <= ORDINARY_EXPONENT;
  if (significant === 0 || (significant <= SURE_DIGITS && isOrdinary)) return true;
  const value = Math.abs(Number(text.slice(start, end)));
  if (!Number.isFinite(value)) return false;
  // Written as `toExponential` does it: one digit, the others, and how far the point was moved.
  const shown = text.slice(first, last + 1).replace('.', '');
  const whole = point === -1 ? at : point;
  const moved = exponent + whole - first - (whole > first ? 1 : 0);
  const others = shown.length > 1 ? `.${shown.slice(1)}` : '';
  return value.toExponential() === `${shown[0]}${others}e${moved < 0 ? '' : '+'}${moved}`;
}

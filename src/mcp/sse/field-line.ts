import { SseFault } from './sse-fault.js';

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
/** With the longest name that matters. */
export const LONGEST_FIELD = 'event:'.length;
/** `event`, `id` and `retry` have no business being longer. Comments and unknown fields are never kept at all. */
const MAX_FIELD_LINE = 16 * 1024;

/** What the beginning of a line tells about it. */
export type LineKind = 'undecided' | 'data' | 'field' | 'ignored';

/** The bound holds for a line that came at once as for one that came in pieces. */
export function requireShort(lineBytes: number): void {
  if (lineBytes > MAX_FIELD_LINE) {
    throw new SseFault('line_too_long', `a line of the event stream exceeds ${MAX_FIELD_LINE} bytes`);
  }
}

export function endOfLine(bytes: Buffer): number {
  const lf = bytes.indexOf(LF);
  const cr = (lf === -1 ? bytes : bytes.subarray(0, lf)).indexOf(CR);
  return cr === -1 ? lf : cr;
}

export function isField(text: string, name: string, start: number, end: number): boolean {
  if (!text.startsWith(name, start)) return false;
  const after = start + name.length;
  return after === end || (after < end && text.charCodeAt(after) === COLON);
}

/** Where the value begins, given where the colon is or, without one, the line ends. One leading space is not part of it. */
export function valueStart(text: string, colon: number, end: number): number {
  if (colon >= end) return end;
  return colon + 1 < end && text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
}

export function judgeBeginning(begun: string): LineKind {
  const colon = begun.indexOf(':');
  if (colon === -1) {
    const open = begun.length < LONGEST_FIELD;
    return open && ['data', 'event', 'id', 'retry'].some((name) => name.startsWith(begun))
      ? 'undecided'
      : 'ignored';
  }
  const name = begun.slice(0, colon);
  if (name === 'data') return 'data';
  return name === 'event' || name === 'id' || name === 'retry' ? 'field' : 'ignored';
}

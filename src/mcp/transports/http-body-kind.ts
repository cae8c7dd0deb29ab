export type BodyKind = 'json' | 'sse';

/** How a media type says a body is to be read. */
export function kindOfMediaType(mediaType: string): BodyKind | undefined {
  if (mediaType === 'application/json') return 'json';
  return mediaType === 'text/event-stream' ? 'sse' : undefined;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const FIELDS: readonly string[] = ['event:', 'data:', 'id:', 'retry:', ':'];
const LONGEST_FIELD = 6;
/** More white space than this at the start of a body is not worth waiting through. */
const MAX_BLANK = 1024;

/**
 * What a body plainly is, going by its first characters, whatever the server calls it. Undecided as long as it may
 * still become either; `other` when it will not.
 */
export function kindOfBody(begun: Buffer): BodyKind | 'other' | 'undecided' {
  if (begun[0] === 0x7b) return 'json';
  const marked = begun[0] === BOM[0] && BOM.subarray(0, begun.length).equals(begun.subarray(0, BOM.length));
  if (marked && begun.length < BOM.length) return 'undecided';
  let at = marked ? BOM.length : 0;
  while (at < begun.length && isBlank(begun[at])) at++;
  if (at === begun.length) return at > MAX_BLANK ? 'other' : 'undecided';
  const first = begun[at];
  if (first === 0x7b || first === 0x5b) return 'json';
  const start = begun.toString('latin1', at, at + LONGEST_FIELD);
  if (FIELDS.some((field) => start.startsWith(field))) return 'sse';
  return FIELDS.some((field) => field.startsWith(start)) ? 'undecided' : 'other';
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** JSON text has no use for a byte order mark, but some servers write one. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === BOM[0] && bytes.subarray(0, BOM.length).equals(BOM)
    ? bytes.subarray(BOM.length)
    : bytes;
}

export interface SseEventToWrite {
  /** One JSON message, or empty for an event that only primes the stream with an id. */
  readonly data: string;
  readonly id?: string;
  /** `message` unless said otherwise. */
  readonly event?: string;
  readonly retry?: number;
}

const LINE_END = /\r\n|\r|\n/;
const NAMED = '\nevent: message\ndata: ';
const END_OF_EVENT = '\n\n';
const UNFIT_FOR_A_LINE = /[\r\n\0]/;

/**
 * One event as text. JSON never contains a raw line end, so a message is always a single `data:` line; other text is
 * spread over as many as it has lines.
 */
export function writeEvent(event: SseEventToWrite): string {
  let text = '';
  if (event.id !== undefined) text += `id: ${requireOneLine('id', event.id)}\n`;
  if (event.retry !== undefined) text += `retry: ${requireDelay(event.retry)}\n`;
  const name = event.event ?? (event.data === '' ? undefined : 'message');
  if (name !== undefined) text += `event: ${requireOneLine('event', name)}\n`;
  return `${text}${writeData(event.data)}\n`;
}

/** The same for data of one line under an id of ours: neither is looked through. JSON text is such data. */
export function writeMessageEvent(line: string, id: string | undefined): string {
  const named = id === undefined ? '' : `id: ${id}\n`;
  return `${named}event: message\ndata: ${line}\n\n`;
}

/**
 * Several of them, under ids that are counted, and where the line of each begins and ends in the text. Put together from
 * parts at one go, which leaves one piece of text.
 */
export function writeMessageEvents(
  lines: readonly string[],
  idBeginning: string,
  firstNumber: number,
): { readonly text: string; readonly bounds: readonly number[] } {
  const parts: string[] = [];
  const bounds: number[] = [];
  const id = `id: ${idBeginning}`;
  let end = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const number = String(firstNumber + i);
    parts.push(id, number, NAMED, line, END_OF_EVENT);
    const start = end + id.length + number.length + NAMED.length;
    bounds.push(start, start + line.length);
    end = start + line.length + END_OF_EVENT.length;
  }
  return { text: parts.join(''), bounds };
}

/** A comment keeps a quiet connection open and is ignored by every decoder. */
export function writeComment(text = ''): string {
  return `${text
    .split(LINE_END)
    .map((line) => `: ${line}\n`)
    .join('')}\n`;
}

function writeData(data: string): string {
  // A stream cannot hold a carriage return inside data: every line end reaches the reader as a line feed.
  if (!LINE_END.test(data)) return `data: ${data}\n`;
  return data
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('');
}

function requireOneLine(field: string, value: string): string {
  if (UNFIT_FOR_A_LINE.test(value))
    throw new TypeError(`the ${field} of an event must not contain line ends or NUL`);
  return value;
}

function requireDelay(ms: number): number {
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw new TypeError('retry must be a whole number of milliseconds');
  return ms;
}

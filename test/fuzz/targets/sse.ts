import { SseDecoder, SseFault, writeEvent, type SseEvent } from '../../../src/mcp/sse/index.js';
import { promise, type FuzzTarget } from '../target.js';

const MAX_DATA_BYTES = 32 * 1024;

interface Decoded {
  readonly events: readonly SseEvent[];
  readonly retryMs: number | undefined;
  readonly lastEventId: string | undefined;
  readonly fault: string | undefined;
}

/** A stream of events: the same whatever the chunks, and bounded. */
export const SSE: FuzzTarget = {
  name: 'sse',
  dictionary: [
    'data:',
    'data: ',
    'data',
    'event: message\n',
    'event:',
    'id: 1\n',
    'id:',
    'id: \0\n',
    'retry: 100\n',
    'retry:',
    ': comment\n',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\ufeff',
    '{"jsonrpc":"2.0"}',
    ' ',
    ':',
    '\u2028',
    '😀',
    'data: a\ndata: b\n\n',
  ],
  run(input) {
    const whole = decode([input]);
    const seed = input.length;
    for (const size of [1, 2, 3, 1 + (seed % 7), 1 + (seed % 61), 1 + (seed % 1021)]) {
      // Byte by byte is slow work for a fuzzer when the input is large.
      if (input.length / size > 1024) continue;
      promise(isSame(decode(chunksOf(input, size)), whole), 'chunks do not change what is decoded');
    }
    for (const { data } of whole.events) {
      promise(Buffer.byteLength(data) <= MAX_DATA_BYTES, 'data are bounded');
    }
    checkEncoder(whole.events);
    return `${Math.min(whole.events.length, 3)} ${whole.fault ?? ''} ${whole.retryMs === undefined} ${whole.lastEventId === undefined}`;
  },
};

function decode(chunks: readonly Uint8Array[]): Decoded {
  const events: SseEvent[] = [];
  const decoder = new SseDecoder({ maxDataBytes: MAX_DATA_BYTES, onEvent: (event) => events.push(event) });
  let fault: string | undefined;
  try {
    for (const chunk of chunks) decoder.push(chunk);
    decoder.finish();
  } catch (error) {
    if (!(error instanceof SseFault)) throw error;
    fault = error.kind;
  }
  return { events, retryMs: decoder.retryMs, lastEventId: decoder.lastEventId, fault };
}

function chunksOf(input: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(input.length / size) }, (_, i) =>
    input.subarray(i * size, (i + 1) * size),
  );
}

/** After a fault nothing is promised but the fault and the events before it. */
function isSame(a: Decoded, b: Decoded): boolean {
  if (a.fault !== b.fault || JSON.stringify(a.events) !== JSON.stringify(b.events)) return false;
  return a.fault !== undefined || (a.retryMs === b.retryMs && a.lastEventId === b.lastEventId);
}

function checkEncoder(events: readonly SseEvent[]): void {
  const writable = events.filter(({ event, id }) => isWritable(event) && isWritable(id ?? ''));
  const text = writable
    .map(({ event, data, id }) => writeEvent({ event, data, ...(id !== undefined && { id }) }))
    .join('');
  promise(
    JSON.stringify(decode([Buffer.from(text)]).events) === JSON.stringify(writable),
    'written events are read again',
  );
}

/** A name that was not UTF-8 grows when it is written, and the encoder takes no NUL. */
function isWritable(value: string): boolean {
  return !value.includes('\0') && Buffer.byteLength(value) < 16_000;
}

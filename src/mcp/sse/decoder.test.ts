import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseDecoder, type SseEvent } from './decoder.js';
import { SseFault } from './sse-fault.js';

const LIMIT = 1024;

interface Decoded {
  readonly events: readonly SseEvent[];
  readonly retryMs: number | undefined;
  readonly lastEventId: string | undefined;
}

function decode(chunks: readonly Uint8Array[], maxDataBytes = LIMIT): Decoded {
  const events: SseEvent[] = [];
  const decoder = new SseDecoder({ maxDataBytes, onEvent: (event) => events.push(event) });
  for (const chunk of chunks) decoder.push(chunk);
  return { events, retryMs: decoder.retryMs, lastEventId: decoder.lastEventId };
}

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SseFault) return error.kind;
    throw error;
  }
  return 'none';
}

const message = (data: string, id?: string): SseEvent => ({ event: 'message', data, id });

describe('one stream', () => {
  const rows: readonly (readonly [name: string, stream: string, events: readonly SseEvent[]])[] = [
    ['a message', 'event: message\ndata: {"a":1}\n\n', [message('{"a":1}')]],
    ['no event name means message', 'data: x\n\n', [message('x')]],
    ['an empty event name means message', 'event:\ndata: x\n\n', [message('x')]],
    [
      'another event name',
      'event: endpoint\ndata: /messages?s=1\n\n',
      [{ event: 'endpoint', data: '/messages?s=1', id: undefined }],
    ],
    [
      'the name does not stick',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [{ event: 'a', data: '1', id: undefined }, message('2')],
    ],
    ['a name without data leaves no trace', 'event: a\n\ndata: 2\n\n', [message('2')]],
    ['line ends LF', 'id: 7\ndata: x\n\n', [message('x', '7')]],
    ['line ends CRLF', 'id: 7\r\ndata: x\r\n\r\n', [message('x', '7')]],
    ['line ends CR', 'id: 7\rdata: x\r\r', [message('x', '7')]],
    ['mixed line ends', 'id: 7\rdata: x\r\ndata: y\n\r\n', [message('x\ny', '7')]],
    ['LF CR is two line ends', 'data: x\n\rdata: y\n\n', [message('x'), message('y')]],
    ['several lines of data', 'data: x\ndata: y\ndata: z\n\n', [message('x\ny\nz')]],
    ['empty lines of data', 'data\ndata:\ndata\n\n', [message('\n\n')]],
    ['data that is empty', 'data:\n\n', [message('')]],
    ['one space is stripped', 'data:  x \n\n', [message(' x ')]],
    ['no space', 'data:x\n\n', [message('x')]],
    ['only a space', 'data: \n\n', [message('')]],
    ['colons in the value', 'data: a:b:c\n\n', [message('a:b:c')]],
    ['a byte order mark', '\uFEFFdata: x\n\n', [message('x')]],
    ['a mark inside data stays', 'data: \uFEFFx\n\n', [message('\uFEFFx')]],
    ['a second mark spoils its line', '\uFEFF\uFEFFdata: x\n\ndata: y\n\n', [message('y')]],
    ['comments', ': hello\n:\n\ndata: x\n: in between\ndata: y\n\n', [message('x\ny')]],
    ['unknown fields', 'datax: 1\ndat: 2\nDATA: 3\n data: 4\nfoo\ndata: x\n\n', [message('x')]],
    ['a priming event', 'id: 7\ndata:\n\n', [message('', '7')]],
    ['an id without data', 'id: 7\n\n', [message('', '7')]],
    ['an empty id', 'id: 7\ndata: x\n\nid\ndata: y\n\n', [message('x', '7'), message('y', '')]],
    ['an id with NUL is ignored', 'id: a\0b\ndata: x\n\n', [message('x')]],
    ['an id that is not ASCII', 'id: Ω\ndata: x\n\n', [message('x', 'Ω')]],
    ['an event without its blank line is not complete', 'data: x\n\ndata: y\n', [message('x')]],
    ['blank lines alone', '\n\n\n', []],
    ['nothing', '', []],
    ['other scripts', 'data: äß 漢字 😀\n\n', [message('äß 漢字 😀')]],
    ['a replacement character the server wrote', 'data: a\uFFFDb\n\n', [message('a\uFFFDb')]],
  ];

  test.each(rows)('C25: %s', (_name, stream, events) => {
    expect(decode([Buffer.from(stream)]).events).toEqual(events);
  });

  test.each(rows)('C25: byte by byte: %s', (_name, stream, events) => {
    expect(decode([...Buffer.from(stream)].map((byte) => Uint8Array.of(byte))).events).toEqual(events);
  });
});

describe('retry and last event id', () => {
  const rows: readonly (readonly [
    stream: string,
    retryMs: number | undefined,
    lastEventId: string | undefined,
  ])[] = [
    ['retry: 500\n\n', 500, undefined],
    ['retry: 500\n', 500, undefined],
    ['retry:0\n\n', 0, undefined],
    ['retry: 5s\n\n', undefined, undefined],
    ['retry: -5\n\n', undefined, undefined],
    ['retry: 1.5\n\n', undefined, undefined],
    ['retry:\n\n', undefined, undefined],
    ['retry: 500\nretry: x\n\n', 500, undefined],
    [`retry: ${'9'.repeat(400)}\n\n`, Number.MAX_SAFE_INTEGER, undefined],
    ['id: 7\n\n', undefined, '7'],
    ['id: 7\n', undefined, undefined],
    ['id: 7\ndata: x\n\ndata: y\n\n', undefined, '7'],
    ['id: 7\n\nid: 8\n\n', undefined, '8'],
    ['id: 7\n\nid:\n\n', undefined, undefined],
    ['id: a longer identifier\nretry: 3\ndata: x\n\n', 3, 'a longer identifier'],
  ];
  test.each(rows)('C25: %j', (stream, retryMs, lastEventId) => {
    expect(decode([Buffer.from(stream)])).toMatchObject({ retryMs, lastEventId });
  });
});

describe('C26: bounds', () => {
  const atLimit = 'x'.repeat(LIMIT);
  const rows: readonly (readonly [name: string, stream: string, outcome: string])[] = [
    ['data at the limit', `data: ${atLimit}\n\n`, 'none'],
    ['data over the limit', `data: ${atLimit}y\n\n`, 'data_too_large'],
    ['several lines at the limit', `data: ${atLimit.slice(10)}\ndata: ${'y'.repeat(9)}\n\n`, 'none'],
    [
      'several lines over the limit',
      `data: ${atLimit.slice(10)}\ndata: ${'y'.repeat(10)}\n\n`,
      'data_too_large',
    ],
    ['line ends count', `${'data\n'.repeat(LIMIT + 2)}\n`, 'data_too_large'],
    ['bytes count, not characters', `data: ${'é'.repeat(LIMIT / 2 + 1)}\n\n`, 'data_too_large'],
    ['bytes at the limit', `data: ${'é'.repeat(LIMIT / 2)}\n\n`, 'none'],
    ['each event has the whole bound', `data: ${atLimit}\n\n`.repeat(3), 'none'],
    ['data without an end', `data: ${'x'.repeat(LIMIT * 2)}`, 'data_too_large'],
    ['an id without an end', `id: ${'x'.repeat(20_000)}`, 'line_too_long'],
    ['an event name without an end', `event: ${'x'.repeat(20_000)}`, 'line_too_long'],
    ['a long comment', `: ${'x'.repeat(100_000)}\ndata: x\n\n`, 'none'],
    ['a long unknown field', `${'x'.repeat(100_000)}\ndata: x\n\n`, 'none'],
  ];
  test.each(rows)('%s', (_name, stream, outcome) => {
    const bytes = Buffer.from(stream);
    expect(faultOf(() => decode([bytes]))).toBe(outcome);
    expect(faultOf(() => decode(inPieces(bytes, 7)))).toBe(outcome);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a byte that never occurs', [0xff]],
  ])('data that is not UTF-8: %s', (_name, bad) => {
    const bytes = Buffer.concat([Buffer.from('data: a'), Buffer.from(bad), Buffer.from('\ndata: b\n\n')]);
    expect(faultOf(() => decode([bytes]))).toBe('not_utf8');
    expect(faultOf(() => decode(inPieces(bytes, 1)))).toBe('not_utf8');
  });

  test('a comment without an end costs no memory', () => {
    const decoder = new SseDecoder({ maxDataBytes: LIMIT, onEvent: () => {} });
    decoder.push(Buffer.from(':'));
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 2000; i++) decoder.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });
});

test.each(['\r', '\n', 'x\r', 'x\n', 'data\r', 'id:1\r\r', ':'])(
  'C26: nothing but %j costs no more than any other stream',
  (piece) => {
    const decoder = new SseDecoder({ maxDataBytes: 64 * 1024 * 1024, onEvent: () => {} });
    const chunk = Buffer.alloc(64 * 1024, piece);
    const start = performance.now();
    for (let i = 0; i < 64; i++) decoder.push(chunk);
    expect(performance.now() - start).toBeLessThan(2000);
  },
);

test('C25: the caller may reuse its chunk', () => {
  const events: SseEvent[] = [];
  const decoder = new SseDecoder({ maxDataBytes: LIMIT, onEvent: (event) => events.push(event) });
  const shared = Buffer.alloc(8);
  for (const piece of inPieces(Buffer.from('id: 12345678901234567890\ndata: first\ndata: second\n\n'), 8)) {
    shared.fill(0x2e);
    piece.copy(shared);
    decoder.push(shared.subarray(0, piece.length));
  }
  expect(events).toEqual([message('first\nsecond', '12345678901234567890')]);
});

describe('finish', () => {
  test.each([
    ['data: x\n', [message('x')]],
    ['data: x', [message('x')]],
    ['data: x\ndata: y', [message('x\ny')]],
    ['data: x\n\n', [message('x')]],
    [': x', []],
    ['', []],
  ])('reports an event that lacks only its end: %j', (stream, expected) => {
    const events: SseEvent[] = [];
    const decoder = new SseDecoder({ maxDataBytes: LIMIT, onEvent: (event) => events.push(event) });
    decoder.push(Buffer.from(stream));
    decoder.finish();
    expect(events).toEqual(expected);
  });
});

describe('properties', () => {
  const piece = fc.constantFrom(
    'data',
    'event',
    'id',
    'retry',
    ':',
    ': ',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\0',
    '\uFEFF',
    'message',
    'x',
    '12',
    'é',
    '漢',
    '😀',
    'data: {"a":1}\n\n',
  );
  const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join('')));
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

  test('C25: any split gives the same events', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        expect(decode(cutAt(bytes, places))).toEqual(decode([bytes]));
      }),
      { numRuns: 1000 },
    );
  });

  test('C25: the events are those of the standard, and those that only carry an id', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        expect(decode([bytes])).toEqual(decodeByTheBook(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test('C26: any bytes decode or fault in kind, however they are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(stream, fc.uint8Array({ maxLength: 9 })), { maxLength: 6 }),
        cuts,
        (parts, places) => {
          const bytes = Buffer.concat(parts);
          expect(outcomeOf(cutAt(bytes, places))).toEqual(outcomeOf([bytes]));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** The algorithm of the standard, line by line, on a whole stream. */
function decodeByTheBook(bytes: Buffer): Decoded {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  lines.pop();
  const events: SseEvent[] = [];
  let event = '';
  let id: string | undefined;
  let data: string[] = [];
  let retryMs: number | undefined;
  let lastEventId: string | undefined;
  for (const line of lines) {
    if (line === '') {
      if (id !== undefined) lastEventId = id === '' ? undefined : id;
      if (data.length > 0 || id !== undefined)
        events.push({ event: event || 'message', data: data.join('\n'), id });
      [event, id, data] = ['', undefined, []];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/su.exec(line) ?? [];
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { events, retryMs, lastEventId };
}

function outcomeOf(chunks: readonly Uint8Array[]): unknown {
  try {
    return decode(chunks, 64);
  } catch (error) {
    if (error instanceof SseFault) return error.kind;
    throw error;
  }
}

function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

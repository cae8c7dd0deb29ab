import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseDecoder } from '../sse/index.js';
import { EventProgress } from './event-progress.js';
import { readProgress, type ProgressRead } from './read-progress.js';

const VERSION = '"jsonrpc":"2.0"';
const METHOD = '"method":"notifications/progress"';
const PLAIN = `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1,"total":20}}`;

function toParams({ token, progress, total, message }: ProgressRead): object {
  return {
    progressToken: token,
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message }),
  };
}

interface Heard {
  /** Progress as it is, all else as its data, in the order in which they came. */
  readonly all: unknown[];
  taken: number;
}

function listen(chunks: readonly Buffer[], wanted: (count: number) => boolean): Heard {
  const heard: Heard = { all: [], taken: 0 };
  const taking = new EventProgress({
    progress(read) {
      if (!wanted(heard.all.length)) return false;
      heard.taken++;
      heard.all.push(toParams(read));
      return true;
    },
  });
  const decoder = new SseDecoder({
    maxDataBytes: 10_000,
    onEvent: ({ event, data, id }) =>
      heard.all.push(
        event === 'message' && id === undefined ? (readProgress(data)?.params ?? data) : [event, data, id],
      ),
    take: (text, at) => taking.take(text, at),
  });
  for (const chunk of chunks) decoder.push(chunk);
  decoder.finish();
  return heard;
}

test.each([
  [`data: ${PLAIN}\n\n`, 1],
  [`event: message\ndata: ${PLAIN}\n\n`, 1],
  [`event: message\ndata: ${PLAIN}\n\nevent: message\ndata: ${PLAIN}\n\ndata: {}\n\n`, 2],
  [`: a comment\n\ndata: ${PLAIN}\n\n`, 1],
  [`id: 5\ndata: ${PLAIN}\n\n`, 0],
  [`event: other\ndata: ${PLAIN}\n\n`, 0],
  [`data: ${PLAIN}\ndata: more\n\n`, 0],
  [`data: ${PLAIN}\r\n\r\n`, 0],
  [`data: ${PLAIN} \n\n`, 0],
  [`data: ${PLAIN}\n`, 0],
  [`data: x\ndata: ${PLAIN}\n\n`, 0],
])('%j: %i taken', (stream, taken) => {
  const bytes = [Buffer.from(stream)];
  const heard = listen(bytes, () => true);
  expect(heard.taken).toBe(taken);
  expect(heard.all).toEqual(listen(bytes, () => false).all);
});

test('each is read as it is, however alike they are', () => {
  const numbers = ['1', '2', '10', '10.5', '0', '-1', '07', '1e3', '3', '12345678901', '4'];
  const event = (number: string, rest: string): string =>
    `data: {${VERSION},${METHOD},"params":{"progressToken":7,"progress":${number}${rest}}}\n\n`;
  const rests = [',"total":20', ',"total":21', '', ',"message":"x"'];
  const stream = rests.flatMap((rest) => numbers.map((number) => event(number, rest))).join('');
  const { all, taken } = listen([Buffer.from(stream)], () => true);
  expect([taken, all]).toEqual([rests.length * 7, listen([Buffer.from(stream)], () => false).all]);
});

test('what is taken, what is left and where a chunk ends make no difference to what is heard', () => {
  const piece = fc.constantFrom(
    `data: ${PLAIN}\n\n`,
    `event: message\ndata: ${PLAIN}\n\n`,
    `data: ${PLAIN.replace('"progress":1', '"progress":2.5')}\n\n`,
    `data: ${PLAIN.replace('"progress":1', '"progress":1e1')}\n\n`,
    `data: {${METHOD},"params":{"progress":0.5,"message":"half","progressToken":1},${VERSION}}\n\n`,
    `id: 1\n`,
    'event: message\n',
    'event: other\n',
    'data: x\n',
    'data: ¼\n\n',
    '\n',
    '\r\n',
    ': \n',
    'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat({ max: 600 }), { maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      (pieces, places, wanted) => {
        const bytes = Buffer.from(pieces.join(''));
        const cuts = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
        const chunks = [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
        const expected = listen([bytes], () => false).all;
        expect(listen(chunks, (count) => wanted[count % wanted.length] === true).all).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

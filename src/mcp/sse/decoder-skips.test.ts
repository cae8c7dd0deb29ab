import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseDecoder, type SseEvent } from './decoder.js';

const LIMIT = 1024;

function decode(chunks: readonly (string | Uint8Array)[]) {
  const events: SseEvent[] = [];
  const decoder = new SseDecoder({
    maxDataBytes: LIMIT,
    onEvent: (event) => events.push(event),
    skips: (beginning) => beginning.startsWith('unwanted'),
  });
  for (const chunk of chunks) decoder.push(Buffer.from(chunk));
  decoder.finish();
  return { events, lastEventId: decoder.lastEventId };
}

const unwanted = (bytes: number): string => `unwanted ${'x'.repeat(bytes)}`;
const message = (data: string, id?: string): SseEvent => ({ event: 'message', data, id });

test('long data that nobody wants is left out wherever chunks end, and what is around it is not', () => {
  const stream = Buffer.from(
    `data: a\n\nevent: message\ndata: ${unwanted(300)}\n\ndata: b\n\n` +
      `data: ${unwanted(200)}\r\ndata: more of it\r\nid: 7\r\n\r\n` +
      `data: c\ndata: ${unwanted(150)}\n\ndata: ${unwanted(400)}`,
  );
  const places = fc.array(fc.nat({ max: stream.length }), { maxLength: 12 });
  fc.assert(
    fc.property(places, (cuts) => {
      const sorted = cuts.toSorted((a, b) => a - b);
      const chunks = [0, ...sorted].map((from, index) => stream.subarray(from, sorted[index]));
      const { events, lastEventId } = decode(chunks);
      // What came in one piece with its end is left to whoever gets it.
      const kept = events.filter(({ data }) => data !== '' && !data.startsWith('unwanted'));
      expect(kept).toEqual([message('a'), message('b'), message(`c\n${unwanted(150)}`)]);
      expect(lastEventId).toBe('7');
    }),
  );
});

test('nothing is kept of it; its id is all that is told', () => {
  const { events } = decode([`id: 7\ndata: ${unwanted(200)}`, 'x'.repeat(200), '\n\ndata: b\n\n']);
  expect(events).toEqual([message('', '7'), message('b')]);
});

test('it is bounded like any other', () => {
  const half = LIMIT / 2;
  expect(() => decode([`data: ${unwanted(half)}`, 'x'.repeat(half), '\n\n'])).toThrow(
    expect.objectContaining({ kind: 'data_too_large' }),
  );
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseDecoder, type SseEvent } from './decoder.js';
import {
  writeComment,
  writeEvent,
  writeMessageEvent,
  writeMessageEvents,
  type SseEventToWrite,
} from './encoder.js';

function decode(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  new SseDecoder({ maxDataBytes: 1024 * 1024, onEvent: (event) => events.push(event) }).push(
    Buffer.from(text),
  );
  return events;
}

test.each<readonly [SseEventToWrite, string]>([
  [{ data: '{"a":1}' }, 'event: message\ndata: {"a":1}\n\n'],
  [{ data: '{}', id: 's-1' }, 'id: s-1\nevent: message\ndata: {}\n\n'],
  [{ data: '/m', event: 'endpoint' }, 'event: endpoint\ndata: /m\n\n'],
  [{ data: '', id: '0' }, 'id: 0\ndata: \n\n'],
  [{ data: '', id: '0', retry: 500 }, 'id: 0\nretry: 500\ndata: \n\n'],
  [{ data: 'a\nb\r\nc' }, 'event: message\ndata: a\ndata: b\ndata: c\n\n'],
])('%j', (event, text) => {
  expect(writeEvent(event)).toBe(text);
});

test.each<readonly [SseEventToWrite]>([
  [{ data: '', id: 'a\nb' }],
  [{ data: '', id: 'a\0b' }],
  [{ data: '', event: 'a\rb' }],
  [{ data: '', retry: -1 }],
  [{ data: '', retry: 1.5 }],
])('refuses %j', (event) => {
  expect(() => writeEvent(event)).toThrow(TypeError);
});

test('several messages are the same as one after another, and each is found again', () => {
  const lines = ['{"a":1}', '{}', '{"text":"\u00fc\u20ac"}'];
  const { text, bounds } = writeMessageEvents(lines, 's-1.', 9);
  expect(text).toBe(lines.map((line, i) => writeMessageEvent(line, `s-1.${9 + i}`)).join(''));
  expect(lines.map((_, i) => text.slice(bounds[i * 2], bounds[i * 2 + 1]))).toEqual(lines);
});

test('a comment cannot become an event', () => {
  expect(writeComment()).toBe(': \n\n');
  expect(writeComment('a\ndata: b')).toBe(': a\n: data: b\n\n');
  expect(decode(writeComment('a\r\rdata: b\n\ndata: c'))).toEqual([]);
});

test('what is written is read again', () => {
  const oneLine = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n\0]/.test(text));
  const json = fc.json({ maxDepth: 3 });
  const event = fc.record(
    { data: json, id: oneLine, event: oneLine, retry: fc.nat() },
    { requiredKeys: ['data'] },
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const text = events.map((each) => writeEvent(each) + writeComment('keep alive')).join('');
      expect(decode(text)).toEqual(
        events.map((each) => ({ data: each.data, event: each.event || 'message', id: each.id })),
      );
    }),
  );
});

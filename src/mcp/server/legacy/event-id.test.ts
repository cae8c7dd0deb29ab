import { expect, test } from 'vitest';
import { eventId, parseEventId } from './event-id.js';

test('an id names its stream and position', () => {
  expect(parseEventId(eventId('ab12-3', 40))).toEqual({ stream: 'ab12-3', seq: 40 });
});

test.each([
  '',
  'a',
  'a.',
  '.1',
  'a.-1',
  'a.01',
  'a.1.2',
  'a.1 ',
  'a b.1',
  `${'a'.repeat(41)}.1`,
  'a.1234567890123456',
])('%j is none', (text) => {
  expect(parseEventId(text)).toBeUndefined();
});

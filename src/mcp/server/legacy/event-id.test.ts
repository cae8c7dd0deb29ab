import { expect, test } from 'vitest';
import { eventId, parseEventId } from './event-id.js';

test('an id names its stream and position', () => {
  expect(parseEventId(eventId('ab12-3', 40))).toEqual({ stream: 'ab12-3', seq: 40 });
});

test.each(['a.0', 'a.10', 'a.123456789012345', `${'a'.repeat(40)}.7`, 'A_z-9.1'])('%s is one', (text) => {
  expect(parseEventId(text)).toEqual({ stream: text.split('.')[0], seq: Number(text.split('.')[1]) });
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
  '.a.1',
  'a.1x',
  'a.00',
  'a.1-',
])('%j is none', (text) => {
  expect(parseEventId(text)).toBeUndefined();
});

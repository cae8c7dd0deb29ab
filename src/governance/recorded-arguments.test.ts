import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createArgumentsRecorder } from './recorded-arguments.js';

const seal = (text: string): string => `sealed ${text}`;
const hmac = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

test.each([
  ['nothing', undefined],
  ['little', { text: 'hello' }],
  ['more than ASCII', { text: 'größer ✓' }],
  ['as much as one buffer takes', { text: 'x'.repeat(16 * 1024 - 11) }],
  ['more than that', { text: 'é'.repeat(20_000) }],
])('hashes of %s are HMACs, for keys of every length', (_, args) => {
  for (const length of [0, 16, 32, 64, 65, 200]) {
    const hashKey = Buffer.alloc(length, 'k');
    const record = createArgumentsRecorder('hashed', { hashKey, seal });
    const text = args === undefined ? '' : JSON.stringify(args);
    const expected = { bytes: Buffer.byteLength(text), hash: hmac(hashKey, text) };
    expect(record(args)).toEqual(expected);
    // What was there before leaves no trace in what comes after.
    expect(record({ a: 1 }).hash).toBe(hmac(hashKey, '{"a":1}'));
  }
});

test('arguments are sealed, or only counted, where the operator wants that', () => {
  const hashKey = Buffer.from('key');
  expect(createArgumentsRecorder('off', { hashKey, seal })({ a: 1 })).toEqual({ bytes: 7 });
  expect(createArgumentsRecorder('encrypted', { hashKey, seal })({ a: 1 })).toEqual({
    bytes: 7,
    sealed: 'sealed {"a":1}',
  });
});

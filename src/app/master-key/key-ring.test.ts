import { expect, test } from 'vitest';
import { createMasterKey, formatKeyRing, parseKeyRing } from './key-ring.js';

const bytes = (fill: number): Buffer => Buffer.alloc(32, fill);
const text = (fill: number): string => bytes(fill).toString('base64');

test.each([
  ['a key alone', text(1), { active: { id: 'master', key: bytes(1) }, retired: [] }],
  ['a named key and a line end', `new:${text(1)}\n`, { active: { id: 'new', key: bytes(1) }, retired: [] }],
  [
    'a new key before the old one',
    `new:${text(2)} ${text(1)}`,
    { active: { id: 'new', key: bytes(2) }, retired: [{ id: 'master', key: bytes(1) }] },
  ],
])('%s', (_what, given, keys) => {
  expect(parseKeyRing(given, 'here')).toEqual(keys);
});

test('what is written is read again', () => {
  const keys = { active: createMasterKey(0), retired: [createMasterKey(0), { id: 'master', key: bytes(3) }] };
  expect(parseKeyRing(formatKeyRing(keys), 'here')).toEqual(keys);
});

test.each([
  ['too short', Buffer.alloc(16).toString('base64')],
  ['too long', Buffer.alloc(33).toString('base64')],
  ['no Base64', '!'.repeat(44)],
  ['a bad name', `a b:${text(1)}`],
  ['a bad second key', `${text(1)}\nsecret-in-clear`],
])('%s is refused without showing it', (_what, given) => {
  expect(() => parseKeyRing(given, 'here')).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  expect(() => parseKeyRing(given, 'here')).not.toThrow(/secret-in-clear|!!!/);
});

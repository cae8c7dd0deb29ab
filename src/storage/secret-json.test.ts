import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import { readSecretJson, writeSecretJson } from './secret-json.js';

function reveal(value: unknown): unknown {
  if (value instanceof Secret) return `revealed ${value.reveal()}`;
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, reveal(member)]));
}

test.each<[unknown]>([
  [{ a: new Secret('x'), b: { c: [1, new Secret('y'), null] } }],
  [new Secret('alone')],
  [[new Secret(''), [new Secret('[secret]')]]],
  [{ value: 'v', secrets: [[['a'], 'b']], a: null }],
  [
    Object.fromEntries([
      ['__proto__', new Secret('p')],
      ['constructor', { prototype: new Secret('q') }],
    ]),
  ],
  [null],
  ['text'],
])('%j comes back with its secrets', (value) => {
  const read = readSecretJson(writeSecretJson(value));
  // As text, since a member named `__proto__` or `constructor` misleads comparison by value.
  expect(JSON.stringify(reveal(read))).toBe(JSON.stringify(reveal(value)));
  expect(inspect(read, { depth: 9 })).toBe(inspect(value, { depth: 9 }));
});

test('an object that looks like a marker is an object', () => {
  const value = { $secret: 'x', secret: true };
  expect(readSecretJson(writeSecretJson(value))).toStrictEqual(value);
});

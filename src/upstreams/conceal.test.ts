import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson, type Json } from '../mcp/jsonrpc/index.js';
import { conceal, mayHold } from './conceal.js';

const SECRETS = [
  { value: 'token/0123+45', word: 'token' },
  { value: 'password', word: 'password' },
];

describe('texts that quote a secret', () => {
  test.each<readonly [string, Json, Json]>([
    ['a text', 'Bearer token/0123+45!', 'Bearer ***!'],
    ['every time', 'password, password', '***, ***'],
    ['in lists', ['a', ['password']], ['a', ['***']]],
    ['in members', { a: { b: 'my password' } }, { a: { b: 'my ***' } }],
    ['in names of members', { password: 1 }, { '***': 1 }],
    ['only there', { a: 'password', b: 1.5, c: null, d: true }, { a: '***', b: 1.5, c: null, d: true }],
    [
      'not in what goes back as it came',
      { requestState: 'password', x: 1 },
      { requestState: 'password', x: 1 },
    ],
  ])('%s', (_what, value, shown) => {
    expect(conceal(value, SECRETS)).toEqual(shown);
  });

  test('numbers keep their digits', () => {
    const value = parseJson('{"a":"password","b":12345678901234567890}');
    expect(stringifyJson(conceal(value, SECRETS))).toBe('{"a":"***","b":12345678901234567890}');
  });

  test('what quotes none is the very same value', () => {
    const value = { a: ['b', { c: 'd' }], pass: 'word' };
    expect(conceal(value, SECRETS)).toBe(value);
  });
});

test.each([
  String.raw`{"a":"token\/0123+45"}`,
  String.raw`{"a":"token/0123\u002B45"}`,
  '{"a":"token/0123+45"}',
])('%s is found however its writer escapes', (text) => {
  expect(mayHold(text, SECRETS)).toBe(true);
  expect(conceal(parseJson(text), SECRETS)).toEqual({ a: '***' });
});

test('other texts are not looked at further', () => {
  expect(mayHold('{"a":"b"}', SECRETS)).toBe(false);
});

import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson, readExact, writeJson } from './exact-json.js';

describe('JSON with every digit', () => {
  test.each([
    '{"id":9007199254740993,"list":[-12345678901234567890,1],"n":0.12345678901234567891}',
    '{"big":1e400,"small":-2.5E-400}',
    '["9007199254740993","\\"9007199254740993","\\\\",9007199254740993]',
    '{"9007199254740993":9007199254740993}',
    '9007199254740993',
  ])('%s is written as it was read', (text) => {
    expect(writeJson(parseJson(text))).toBe(text);
  });

  test('numbers that a double holds are numbers', () => {
    expect(parseJson('[1,1.50,1e3,-0,9007199254740992,1000000000000000000000]')).toEqual([
      1, 1.5, 1000, -0, 9007199254740992, 1e21,
    ]);
    expect(parseJson('{"a":9007199254740993}')).toEqual({ a: new ExactNumber('9007199254740993') });
  });

  test('what is no JSON is refused as ever', () => {
    for (const text of ['{"a":01234567890123456789}', '{9007199254740993:1}', '-', '1e', '']) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
    expect(['0x10', '+1', '.5', '1.', ' 1', '', '01'].map(readExact)).toEqual(Array(7).fill(undefined));
  });

  test('a number with a million zeros takes no longer than others of its length', () => {
    const text = `1.${'0'.repeat(1_000_000)}1`;
    expect(writeJson(parseJson(text))).toBe(text);
  });

  test('indented', () => {
    expect(writeJson({ a: new ExactNumber('9007199254740993') }, 2)).toBe('{\n  "a": 9007199254740993\n}');
  });
});

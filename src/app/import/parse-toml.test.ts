import { describe, expect, test } from 'vitest';
import { parseToml } from './parse-toml.js';

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseToml(text)));

describe('values', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['a = "b"', { a: 'b' }],
    ["a = 'C:\\new'", { a: 'C:\\new' }],
    [String.raw`a = "\u00e9\t\"\\\U0001F600"`, { a: 'é\t"\\😀' }],
    ['a = """\nfirst\n  second"""', { a: 'first\n  second' }],
    ['a = """one \\\n   two"""', { a: 'one two' }],
    ["a = '''x'y''z'''", { a: "x'y''z" }],
    ['a = """"quoted""""', { a: '"quoted"' }],
    ['a = 1_000', { a: 1000 }],
    ['a = 0xff', { a: 255 }],
    ['a = 3.5e2', { a: 350 }],
    ['a = true\nb = false', { a: true, b: false }],
    ['a = 2026-11-01T08:00:00Z', { a: '2026-11-01T08:00:00Z' }],
    ['a = 07:30:00', { a: '07:30:00' }],
    ['a = [1, [2], "x",]', { a: [1, [2], 'x'] }],
    ['a = [ # comment\n  1, # one\n  2\n]', { a: [1, 2] }],
    ['a = { b = 1, "c d" = { e = [] } }', { a: { b: 1, 'c d': { e: [] } } }],
    ['a.b."c.d" = 1\na.e = 2', { a: { b: { 'c.d': 1 }, e: 2 } }],
    ['[x]\na = 1\n[x.y]\nb = 2', { x: { a: 1, y: { b: 2 } } }],
    ['[x.y]\nb = 2\n[x]\na = 1', { x: { y: { b: 2 }, a: 1 } }],
    ['[[l]]\na = 1\n[[l]]\na = 2\n[l.sub]\nb = 3', { l: [{ a: 1 }, { a: 2, sub: { b: 3 } }] }],
    ['# only a comment\r\n\r\na = 1\r\n', { a: 1 }],
    ['', {}],
  ];
  test.each(cases)('%s', (text, expected) => {
    expect(plain(text)).toEqual(expected);
  });
});

describe('what is wrong is told with its line', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['a = 1\na = 2', /line 2: a is given twice/],
    ['[t]\n[t]', /line 2: the table t stands here a second time/],
    ['a = ', /line 1: expected a value/],
    ['a = "x\n"', /does not end on its line/],
    ['a = """x', /a string does not end/],
    ['a = "\\q"', /unknown escape/],
    ['a = 1 b = 2', /expected the end of the line/],
    ['a = [1 2]', /expected , or \]/],
    ['a = { b = 1', /expected , or }/],
    ['= 1', /expected a key/],
    ['a = 1\n[a.b]', /a is not a table/],
    [`a = ${'['.repeat(100)}`, /nested too deeply/],
  ];
  test.each(cases)('%j', (text, expected) => {
    expect(() => parseToml(text)).toThrow(expected);
  });
});

test('keys may have any name, even that of the prototype', () => {
  const table = parseToml('__proto__ = 1\n[constructor]\nprototype = 2');
  expect(Object.keys(table)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['prototype']).toBeUndefined();
});

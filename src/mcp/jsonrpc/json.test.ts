import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson } from '../../../test/support/arbitrary-json.js';
import {
  JsonError,
  parseJson,
  parseMessage,
  STRICT_JSON,
  stringifyJson,
  TOLERANT_JSON,
  type JsonFault,
  type JsonLimits,
  type JsonObject,
} from './index.js';

function faultOf(text: string, limits?: JsonLimits): JsonFault | 'accepted' {
  try {
    parseJson(text, limits);
    return 'accepted';
  } catch (error) {
    if (error instanceof JsonError) return error.fault;
    throw error;
  }
}

/** Of the processor: what the rest of the machine does is not counted. */
function millisecondsOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe('documents', () => {
  test('any valid document means what JSON.parse says', () => {
    const spacing = fc.constantFrom(undefined, 1, '\t', '\r\n \t');
    fc.assert(
      fc.property(arbitraryJson(), spacing, (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  test('any text is refused as a JsonError or means what JSON.parse says', () => {
    const bits = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '\\u0022',
      'a',
      '1',
      '-',
      'e9',
      ' ',
      'null',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(faultOf(text, TOLERANT_JSON)).toBe('syntax');
          return;
        }
        expect(JSON.stringify(parseJson(text, TOLERANT_JSON))).toBe(JSON.stringify(value));
      }),
      { numRuns: 3000 },
    );
  });

  test('what was parsed is written as it was', () => {
    fc.assert(
      fc.property(arbitraryJson(), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['truncated', '{"a":1'],
    ['trailing comma', '[1,]'],
    ['single quotes', "{'a':1}"],
    ['NaN', '[NaN]'],
    ['Infinity', '[Infinity]'],
    ['comment', '[1/* one */]'],
    ['two documents', '{} {}'],
    ['trailing NUL', '{}\0'],
    ['control character in a string', '"a\nb"'],
    ['number as key', '{1:2}'],
    ['exact number as key', '{123456789012345678901:2}'],
    ['overflowing number as key', '{"a":1,1e400 :2}'],
    ['two exact numbers', '1e400 1e400'],
    ['exact number after a string', '["a"1e400]'],
    ['exact number with a plus', '[+1e400]'],
    ['exact number without a whole part', '[.5e400]'],
    ['exact number with a leading zero', '[01e400]'],
    ['broken exponent', '[1e]'],
    ['empty', ''],
    ['blank', ' \n'],
    ['unterminated string', '"abc'],
    ['two byte order marks', '\ufeff\ufeff{}'],
    ['byte order mark inside', '{\ufeff}'],
  ])('J-1: %s is a syntax fault', (_name, text) => {
    expect(faultOf(text)).toBe('syntax');
  });

  test('J-2: a byte order mark is ignored', () => {
    expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  test('J-15, J-16: blanks and escapes are read as ever', () => {
    expect(parseJson(`${' '.repeat(1_000_000)}{"method":"p\\u0069ng"}`)).toEqual({ method: 'ping' });
  });
});

describe('limits', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const nestedObjects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

  test.each([STRICT_JSON, TOLERANT_JSON])('J-6: depth $maxDepth is the last one accepted', (limits) => {
    for (const build of [nested, nestedObjects]) {
      expect(faultOf(build(limits.maxDepth - 1), limits)).toBe('accepted');
      expect(faultOf(build(limits.maxDepth), limits)).toBe('accepted');
      expect(faultOf(build(limits.maxDepth + 1), limits)).toBe('depth');
    }
  });

  test.each([
    [
      'numbers',
      (count: number) =>
        `[${Array(count - 1)
          .fill('1')
          .join()}]`,
    ],
    ['members', (count: number) => `{${Array.from({ length: count - 1 }, (_, i) => `"${i}":1`).join()}}`],
    [
      'strings',
      (count: number) =>
        `[${Array(count - 1)
          .fill('","')
          .join()}]`,
    ],
  ])('J-7: %s are counted to the last one', (_name, build) => {
    const limits: JsonLimits = { ...STRICT_JSON, maxNodes: 100 };
    expect(faultOf(build(99), limits)).toBe('accepted');
    expect(faultOf(build(100), limits)).toBe('accepted');
    expect(faultOf(build(101), limits)).toBe('nodes');
  });

  test('brackets, colons and commas inside strings do not count', () => {
    const limits: JsonLimits = { maxDepth: 1, maxNodes: 2, duplicateKeys: 'refuse' };
    expect(faultOf('["[[{{::,,\\"[[,,\\\\"]', limits)).toBe('accepted');
    expect(faultOf('["\\\\",[]]', limits)).toBe('nodes');
  });

  test('an empty container counts as two values, an exact number as five', () => {
    expect(faultOf('[[],[]]', { ...STRICT_JSON, maxNodes: 5 })).toBe('accepted');
    expect(faultOf('[[],[]]', { ...STRICT_JSON, maxNodes: 4 })).toBe('nodes');
    expect(faultOf('[1e400]', { ...STRICT_JSON, maxNodes: 6 })).toBe('accepted');
    expect(faultOf('[1e400]', { ...STRICT_JSON, maxNodes: 5 })).toBe('nodes');
  });

  test.each([
    ['400 000 open arrays', '['.repeat(400_000), 'depth'],
    ['400 000 nested arrays', nested(400_000), 'depth'],
    ['100 000 nested objects', nestedObjects(100_000), 'depth'],
    ['400 000 empty arrays', `[${Array(400_000).fill('[]').join()}]`, 'nodes'],
    ['200 000 exact numbers', `[${Array(200_000).fill('1e999').join()}]`, 'nodes'],
  ])('J-6: %s cost less than 100 ms', (_name, text, fault) => {
    // Compiled by the first run; the machine may be busy during one of the others.
    const times = [0, 0, 0].map(() => millisecondsOf(() => expect(faultOf(text)).toBe(fault)));
    expect(Math.min(...times)).toBeLessThan(100);
  });

  test.each([
    ['60 000 numbers that a double would round', 60_000, '1234567890123456789012', 'accepted'],
    ['160 000', 160_000, '1234567890123456789012', 'nodes'],
    ['160 000 numbers as doubles are written', 160_000, '0.12345678901234568', 'accepted'],
    ['400 000', 400_000, '0.12345678901234568', 'nodes'],
    ['160 000 that are written in another way', 160_000, '1234567890123456.500', 'accepted'],
  ])('%s in an answer: no more than everybody can wait for', (_name, count, number, fault) => {
    const text = `[${Array(count).fill(number).join()}]`;
    const times = [0, 0, 0].map(() => millisecondsOf(() => expect(faultOf(text, TOLERANT_JSON)).toBe(fault)));
    expect(Math.min(...times)).toBeLessThan(200);
  });

  const MEBI = 1024 * 1024;
  test.each([
    ['escaped quotes', `"${'\\"'.repeat(2 * MEBI)}"`],
    ['backslashes', `"${'\\\\'.repeat(2 * MEBI)}"`],
    ['quotes', '"'.repeat(4 * MEBI)],
    ['strings that never end', '"\\'.repeat(2 * MEBI)],
    ['zeros inside a number', `1.${'0'.repeat(4 * MEBI)}1`],
    ['zeros around a number', `0.${'0'.repeat(2 * MEBI)}1${'0'.repeat(2 * MEBI)}e${2 * MEBI}`],
    ['digits', '9'.repeat(4 * MEBI)],
    ['minus signs', '-'.repeat(4 * MEBI)],
    ['parts of numbers', '1e-'.repeat(MEBI)],
    ['colons', ':'.repeat(4 * MEBI)],
    ['closing brackets', ']'.repeat(4 * MEBI)],
  ])('4 MiB of %s take linear time', (_name, text) => {
    expect(millisecondsOf(() => faultOf(text, TOLERANT_JSON))).toBeLessThan(3000);
  });
});

describe('keys', () => {
  test.each([
    ['at the top', '{"method":"a","method":"b"}'],
    ['by escape', '{"name":1,"n\\u0061me":2}'],
    ['below', '{"params":{"arguments":[{"x":1,"y":2,"x":1}]}}'],
    ['inside a value that is lost', '{"a":{"b":1,"b":2},"a":3}'],
    ['empty', '{"":1,"":2}'],
    ['__proto__', '{"__proto__":1,"__proto__":2}'],
    ['beside an exact number', '{"a":1e400,"a":1}'],
  ])('J-8: a duplicate key %s is refused', (_name, text) => {
    expect(faultOf(text)).toBe('duplicate_key');
    expect(faultOf(text, TOLERANT_JSON)).toBe('accepted');
  });

  test('a duplicate anywhere in any document is refused', () => {
    const document = fc.tuple(arbitraryJson(), fc.string(), fc.nat()).map(([value, key, at]) => {
      const text = JSON.stringify({ outer: [value, 'here'] });
      const name = JSON.stringify(key);
      const escaped = `"${[...key].map((c) => escapeOf(c)).join('')}"`;
      return text.replace('"here"', () => `{${name}:${at},${escaped}:null}`);
    });
    fc.assert(
      fc.property(document, (text) => {
        expect(faultOf(text)).toBe('duplicate_key');
      }),
    );
  });

  test('the last duplicate wins where they are tolerated', () => {
    expect(parseJson('{"a":1,"a":2}', TOLERANT_JSON)).toEqual({ a: 2 });
  });

  test('J-9: __proto__ and constructor are names like any other', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"n":1e400}';
    const value = parseJson(text) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'n']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stringifyJson(value)).toBe(text);
  });

  test('J-17: order and unknown members are kept', () => {
    const text = '{"z":1,"a":{"y":[],"b":null},"A":"","é":2}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });
});

function escapeOf(character: string): string {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');
}

describe('answers of a peer', () => {
  const long = 'x'.repeat(20_000);
  const answer = (result: string, more = ''): string => `{"jsonrpc":"2.0","id":7,"result":${result}${more}}`;
  const written = (text: string): string => {
    const value = parseMessage(text, TOLERANT_JSON);
    return stringifyJson((value as JsonObject)['result']);
  };

  test('are written as they came', () => {
    const result = `{"content":[{"type":"text","text":"${long}\\u0041"}],"n":1.0, "m":12345678901234567890}`;
    expect(written(answer(result))).toBe(result);
    expect(written(answer('{"t": "short"}'))).toBe('{"t": "short"}');
  });

  test('are written anew where something was changed', () => {
    const { result } = parseMessage(answer('{"t": "short"}'), TOLERANT_JSON) as { result: JsonObject };
    expect(stringifyJson({ ...result })).toBe('{"t":"short"}');
    expect(stringifyJson({ ...result, more: 1 })).toBe('{"t":"short","more":1}');
  });

  test.each([
    ['a key that occurs twice', answer(`{"a":1,"a":2,"t":"${long}"}`)],
    ['a key that occurs twice further inside', answer(`{"a":[{"b":1,"b":2}],"t":"${long}"}`)],
    ['a result that occurs twice', answer(`{"t":"${long}"}`, ',"result":{}')],
    ['something after the result', answer(`{"t":"${long}", "u":1.0}`, ',"x":{}')],
    ['more than one line', answer(`{\n"t":"${long}"}`)],
    ['another order', `{"id":7,"jsonrpc":"2.0","result":{"t":"${long}", "u":1.0}}`],
  ])('but not with %s', (_name, text) => {
    const again = JSON.stringify((JSON.parse(text) as JsonObject)['result']);
    expect(written(text)).toBe(again);
  });
});

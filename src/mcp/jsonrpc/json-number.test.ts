import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryNumberText, arbitraryText } from '../../../test/support/arbitrary-json.js';
import { isObject, JsonNumber, parseJson, stringifyAndKeep, stringifyJson, TOLERANT_JSON } from './index.js';

/** The value of a number text as digits and exponent, by whole-number arithmetic. */
function valueOf(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  let digits = BigInt(whole + fraction);
  let scale = BigInt(exponent) - BigInt(fraction.length);
  if (digits === 0n) return '0';
  while (digits % 10n === 0n) {
    digits /= 10n;
    scale++;
  }
  return `${sign}${digits}e${scale}`;
}

describe('exact numbers', () => {
  test('J-11, J-12: no number changes its value on the way through', () => {
    fc.assert(
      fc.property(arbitraryNumberText(), (number) => {
        const written = stringifyJson(parseJson(`{"a":[${number}]}`)).slice('{"a":['.length, -']}'.length);
        expect(valueOf(written)).toBe(valueOf(number));
      }),
      { numRuns: 2000 },
    );
  });

  test('a number is a plain one exactly when a double holds its value', () => {
    fc.assert(
      fc.property(arbitraryNumberText(), (number) => {
        const parsed: unknown = parseJson(number);
        const nearest = Number(number);
        const held = Number.isFinite(nearest) && valueOf(String(nearest)) === valueOf(number);
        expect(parsed instanceof JsonNumber).toBe(!held);
        if (held) expect(parsed).toBe(nearest);
        else expect(stringifyJson(parsed)).toBe(number);
      }),
      { numRuns: 2000 },
    );
  });

  test('every double that JavaScript writes is a plain number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseJson(String(number))).toBe(number + 0);
      }),
    );
  });

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E+400',
    '1e-400',
    '0.1000000000000000055511151231257827',
  ])('%s is kept as written', (text) => {
    const value: unknown = parseJson(text);
    expect(value).toBeInstanceOf(JsonNumber);
    expect(stringifyJson({ deep: [value] })).toBe(`{"deep":[${text}]}`);
  });

  test.each([
    ['1e-5', 1e-5],
    ['5E-1', 0.5],
    ['1.50e3', 1500],
    ['1.0000000000000000000', 1],
    ['0e999', 0],
    ['-0', -0],
    ['100000000000000000000', 1e20],
    ['0.30000000000000004', 0.1 + 0.2],
  ])('%s is the number %d', (text, number) => {
    expect(parseJson(text)).toBe(number);
  });

  test('one stands for the nearest number in arithmetic and in JSON.stringify', () => {
    const value: unknown = parseJson('9007199254740993');
    expect(Number(value)).toBe(9007199254740992);
    expect(JSON.stringify([value])).toBe('[9007199254740992]');
  });

  test('one is no JSON object', () => {
    expect(isObject(parseJson('1e400'))).toBe(false);
  });

  test('only the text of a number makes one', () => {
    for (const text of ['', 'x', '1"', '01', '1,2', '--1', '0x1', ' 1']) {
      expect(() => new JsonNumber(text)).toThrow(RangeError);
    }
  });
});

describe('the mark under which exact numbers travel', () => {
  /** What a value with an exact number looks like inside JSON.stringify, seen by an object that looks on. */
  function spyOnMark(): string {
    let seen = '';
    const spy = {
      toJSON: () => {
        seen = JSON.stringify(new JsonNumber('1e400'));
        return null;
      },
    };
    stringifyJson(spy);
    return (JSON.parse(seen) as string).slice(0, -'1e400'.length);
  }

  test('is not written, whatever is parsed and written back', () => {
    const mark = spyOnMark();
    expect(mark.length).toBeGreaterThan(16);
    const texts = ['1e400', '{"a":[1e400,"1e400",{"b":-1e400}]}', '["\\u0001:1e400",1e400,":1"]'];
    for (const text of texts) {
      const written = stringifyJson(parseJson(text));
      expect(written).not.toContain(mark);
      expect(JSON.stringify(parseJson(text))).not.toContain(mark);
      expect(() => parseJson(`{${text}:1}`)).toThrow('not valid JSON');
    }
  });

  test('strings stay strings beside exact numbers', () => {
    fc.assert(
      fc.property(arbitraryText(), arbitraryNumberText(), (string, number) => {
        const text = `[${JSON.stringify(string)},${number},1e400]`;
        const [first] = parseJson(text) as readonly unknown[];
        expect(first).toBe(string);
        expect(stringifyJson(parseJson(text)).startsWith(`[${JSON.stringify(string)},`)).toBe(true);
      }),
    );
  });
});

describe('stringifyJson', () => {
  test('writes what has no JSON form as null', () => {
    expect(stringifyJson(undefined)).toBe('null');
    expect(stringifyJson(() => 1)).toBe('null');
    expect(stringifyJson([undefined, Number.NaN])).toBe('[null,null]');
  });

  test('is itself again after a value that cannot be written', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(() => stringifyJson([parseJson('1e400'), circular])).toThrow(TypeError);
    expect(JSON.stringify(parseJson('9007199254740993'))).toBe('9007199254740992');
    expect(stringifyJson(parseJson('1e400'))).toBe('1e400');
  });

  test('a MiB of exact numbers is read and written in bounded time', () => {
    const text = `[${Array(50_000).fill('0.10000000000000001').join()}]`;
    // Of the processor: what the rest of the machine does is not counted.
    const start = process.cpuUsage();
    expect(stringifyJson(parseJson(text, TOLERANT_JSON)) === text).toBe(true);
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });
});

describe('stringifyAndKeep', () => {
  test.each([10, 100_000])(
    'a value with %i characters is written the same again, alone and inside others',
    (length) => {
      const value = parseJson(
        `{"text":"${'ü'.repeat(length)}","exact":9007199254740993}`,
        TOLERANT_JSON,
      ) as object;
      const text = stringifyAndKeep(value);
      expect(text).toContain('9007199254740993');
      expect(stringifyJson(value)).toBe(text);
      expect(stringifyJson({ inner: value })).toBe(`{"inner":${text}}`);
      expect(stringifyJson({ ...value, more: 1 })).toBe(`${text.slice(0, -1)},"more":1}`);
    },
  );
});

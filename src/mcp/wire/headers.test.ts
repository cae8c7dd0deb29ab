import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryWellFormedText } from '../../../test/support/arbitrary-json.js';
import { ProtocolError } from '../jsonrpc/index.js';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  HEADER_METHOD,
  HEADER_MISMATCH,
  HEADER_NAME,
  HEADER_REVISION,
  nameMember,
  routingHeaders,
} from './index.js';

function base64(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString('base64');
}

describe('values in headers', () => {
  test('any text comes back, and goes as what a header may hold', () => {
    const looksMarked = fc.constantFrom('=?base64?', '?=', '=?BASE64?', '?', '=', ' ', '\t', 'a');
    const text = fc.oneof(
      arbitraryWellFormedText(20),
      fc.array(looksMarked).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('', ' ', '\t '), (value, blanks) => {
        const encoded = encodeHeaderValue(value);
        expect(encoded).toMatch(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/);
        expect(decodeHeaderValue(encoded)).toBe(value);
        expect(decodeHeaderValue(blanks + encoded + blanks)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['plain', 'a-b_c.d/e:f', 'a-b_c.d/e:f'],
    ['blanks inside', 'a b\tc', 'a b\tc'],
    ['empty', '', '=?base64??='],
    ['blank in front', ' a', '=?base64?IGE=?='],
    ['tab behind', 'a\t', '=?base64?YQk=?='],
    ['blank only', ' ', '=?base64?IA==?='],
    ['line break', 'a\r\nb', '=?base64?YQ0KYg==?='],
    ['not ASCII', 'ö', '=?base64?w7Y=?='],
    ['DEL', '\x7f', '=?base64?fw==?='],
    ['marked itself', '=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['markers that share a letter', '=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['one marker', '=?base64?YQ==', '=?base64?YQ==?='.slice(0, -2)],
    ['upper case', '=?BASE64?YQ==?=', '=?BASE64?YQ==?='],
  ])('encoding: %s', (_name, value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
    expect(decodeHeaderValue(encoded)).toBe(value);
  });

  test.each([
    ['empty', '', ''],
    ['marked empty', '=?base64??=', ''],
    ['opening marker only', '=?base64?YQ==', '=?base64?YQ=='],
    ['closing marker only', 'YQ==?=', 'YQ==?='],
    ['markers that share a letter', '=?base64?=', '=?base64?='],
    ['upper case marker', '=?Base64?YQ==?=', '=?Base64?YQ==?='],
    ['blanks around', ' \t a b \t', 'a b'],
    ['blanks around a marked value', ' =?base64?IGE=?= ', ' a'],
    ['only blanks and tabs are blank', '\u00a0a\u00a0', '\u00a0a\u00a0'],
    ['byte order mark inside', `=?base64?${base64('\ufeffa')}?=`, '\ufeffa'],
  ])('decoding: %s', (_name, raw, value) => {
    expect(decodeHeaderValue(raw)).toBe(value);
  });

  test.each([
    ['letters outside the alphabet', '=?base64?Y*==?='],
    [
      'URL alphabet',
      `=?base64?${base64(new Uint8Array([0xfb, 0xff]))
        .replace('+', '-')
        .replace('/', '_')}?=`,
    ],
    ['no padding', '=?base64?YQ?='],
    ['too much padding', '=?base64?YQ===?='],
    ['padding only', '=?base64?====?='],
    ['one letter', '=?base64?Y?='],
    ['blank inside', '=?base64?Y Q==?='],
    ['bits left over', '=?base64?YR==?='],
    ['padding inside', '=?base64?YQ==YQ==?='],
    ['marker inside', '=?base64?=?base64?YQ==?=?='],
    ['not UTF-8', `=?base64?${base64(new Uint8Array([0xff, 0xfe]))}?=`],
    ['overlong UTF-8', `=?base64?${base64(new Uint8Array([0xc0, 0x80]))}?=`],
    ['surrogate in UTF-8', `=?base64?${base64(new Uint8Array([0xed, 0xa0, 0x80]))}?=`],
    ['UTF-8 cut short', `=?base64?${base64(new Uint8Array([0xe2, 0x82]))}?=`],
  ])('M-13: %s is refused', (_name, raw) => {
    expect(() => decodeHeaderValue(raw)).toThrow(expect.objectContaining({ code: HEADER_MISMATCH }));
  });

  test('decoding throws a header mismatch or nothing', () => {
    const payload = fc.oneof(fc.base64String(), fc.string(), fc.uint8Array().map(base64));
    fc.assert(
      fc.property(payload, (text) => {
        try {
          const value = decodeHeaderValue(`=?base64?${text}?=`);
          expect(base64(value)).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
          expect(error).toMatchObject({ code: HEADER_MISMATCH });
        }
      }),
    );
  });

  test('a MiB takes linear time', () => {
    const start = performance.now();
    for (const long of [
      `a${' '.repeat(1_000_000)}b`,
      `=?base64?${'?='.repeat(500_000)}`,
      `=?base64?${'QUJD'.repeat(250_000)}?=`,
    ]) {
      encodeHeaderValue(long);
      try {
        decodeHeaderValue(long);
      } catch (error) {
        expect(error).toMatchObject({ code: HEADER_MISMATCH });
      }
    }
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('C11: routing headers', () => {
  const common = { [HEADER_REVISION]: '2026-07-28' };

  test.each<[string, Record<string, unknown> | undefined, string | undefined]>([
    ['tools/call', { name: 'größe' }, '=?base64?Z3LDtsOfZQ==?='],
    ['prompts/get', { name: 'a b' }, 'a b'],
    ['resources/read', { uri: 'file:///x', name: 'other' }, 'file:///x'],
    ['tasks/get', { taskId: 't-1' }, 't-1'],
    ['tasks/update', { taskId: 't-1' }, 't-1'],
    ['tasks/cancel', { taskId: '' }, '=?base64??='],
    ['tools/list', { name: 'x' }, undefined],
    ['resources/subscribe', { uri: 'x' }, undefined],
    ['constructor', { name: 'x' }, undefined],
    ['tools/call', { name: 7 }, undefined],
    ['tools/call', undefined, undefined],
  ])('%s %j', (method, params, name) => {
    const headers = routingHeaders('2026-07-28', method, params as never);
    expect(headers).toEqual({
      ...common,
      [HEADER_METHOD]: method,
      ...(name !== undefined && { [HEADER_NAME]: name }),
    });
  });

  test('methods named like members of objects have no name', () => {
    for (const method of ['__proto__', 'toString', 'constructor', ''])
      expect(nameMember(method)).toBeUndefined();
  });
});

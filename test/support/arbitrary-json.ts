import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/mcp/jsonrpc/index.js';

/** Names that trip code which takes data for objects with a prototype, or keys for keywords. */
const TRICKY_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'hasOwnProperty',
  'length',
  '',
  '0',
  'a"b',
  'a:b',
  'a\\',
  '_meta',
];

const ASCII = fc.integer({ min: 0, max: 0x7f });

/** Any code units, lone surrogates included: JSON can escape those. The built-in units take seconds to set up. */
export function arbitraryText(maxLength = 8): fc.Arbitrary<string> {
  const unit = fc.oneof(ASCII, fc.nat(0xffff)).map((code) => String.fromCharCode(code));
  return fc.string({ unit, maxLength });
}

/** Any code points that UTF-8 has a form for. */
export function arbitraryWellFormedText(maxLength = 8): fc.Arbitrary<string> {
  const unit = fc
    .oneof(ASCII, fc.nat(0x10ffff))
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  return fc.string({ unit, maxLength });
}

export function arbitraryName(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...TRICKY_NAMES), arbitraryText(6));
}

/** Any JSON value that `JSON.parse` could have made, `__proto__` as a member of its own included. */
export function arbitraryJson(): fc.Arbitrary<Json> {
  return fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e-7, 1e21, Number.MAX_SAFE_INTEGER),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        arbitraryText(),
        arbitraryName(),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: objectOf(tie('value')),
  })).value;
}

export function arbitraryObject(): fc.Arbitrary<JsonObject> {
  return objectOf(arbitraryJson());
}

function objectOf(member: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  // Not a dictionary: that assigns members, and `__proto__` would be lost.
  return fc.array(fc.tuple(arbitraryName(), member), { maxLength: 4 }).map(Object.fromEntries<Json>);
}

/** The text of a number as JSON allows it, with as many digits as somebody might write. */
export function arbitraryNumberText(): fc.Arbitrary<string> {
  const digit = fc.constantFrom(...'0123456789');
  const digits = fc.oneof(
    fc.string({ unit: digit, minLength: 1, maxLength: 40 }),
    fc.tuple(digit, fc.nat(30), digit).map(([first, zeros, last]) => first + '0'.repeat(zeros) + last),
  );
  return fc
    .record({
      sign: fc.constantFrom('', '-'),
      whole: digits.map((text) => text.replace(/^0+(?=\d)/, '')),
      fraction: fc.oneof(
        fc.constant(''),
        digits.map((text) => `.${text}`),
      ),
      exponent: fc.oneof(
        fc.constant(''),
        fc
          .tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.integer({ min: 0, max: 420 }))
          .map(([letter, value]) => `${letter}${value}`),
      ),
    })
    .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);
}

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { LineSplitter } from './line-splitter.js';

const KIB = 1024;

function split(chunks: readonly Buffer[], maxBytes: number = 64 * KIB): readonly string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: () => lines.push('<too long>'),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const borders = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return borders.slice(1).map((to, index) => bytes.subarray(borders[index], to));
}

test.each([
  ['one line', 'a\n', ['a']],
  ['several lines', 'a\nb\nc\n', ['a', 'b', 'c']],
  ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
  ['a carriage return inside a line stays', 'a\rb\n', ['a\rb']],
  ['blank lines', '\n\r\n \t\n\na\n\n', ['a']],
  ['a blank at the start of a line stays', '  {}\n', ['  {}']],
  ['no line end at the end of the stream', 'a\nb', ['a', 'b']],
  ['nothing', '', []],
])('C50: %s', (_name, input, expected) => {
  expect(split([Buffer.from(input)])).toEqual(expected);
});

test('C50: any split of the bytes gives the same lines', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('\n', '\r\n', '\r', ' ', '\uFEFF', 'é', '😀', 'x'.repeat(40)),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.integer({ min: 1, max: 60 }),
      (parts, places, maxBytes) => {
        const bytes = Buffer.from(parts.join(''));
        expect(split(cutAt(bytes, places), maxBytes)).toEqual(split([bytes], maxBytes));
      },
    ),
    { numRuns: 500 },
  );
});

test('C50: lines of bytes that are not UTF-8 do not depend on the split either', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 10 }), (input, places) => {
      const bytes = Buffer.from(input);
      expect(split(cutAt(bytes, places))).toEqual(split([bytes]));
    }),
  );
});

test('a line of exactly the limit passes, one byte more does not', () => {
  expect(split([Buffer.from('xxxx\n')], 4)).toEqual(['xxxx']);
  expect(split([Buffer.from('a\nxxxxx\nb\n')], 4)).toEqual(['a', '<too long>']);
});

test('a line over the limit is noticed without its end', () => {
  expect(split([Buffer.from('xx'), Buffer.from('xxx')], 4)).toEqual(['<too long>']);
});

test('a line of several blocks is put together', () => {
  const long = 'é'.repeat(200 * KIB);
  const bytes = Buffer.from(`a\n${long}\nb\n`);
  const chunks = cutAt(bytes, [1001, 70_001, 131_072, 300_003]);
  expect(split(chunks, 1024 * KIB)).toEqual(['a', long, 'b']);
});

test('P-4: single bytes without a line end take no more memory than the limit and a block', () => {
  let tooLong = 0;
  const maxBytes = 256 * KIB;
  const splitter = new LineSplitter({ maxBytes, onLine: () => {}, onTooLong: () => tooLong++ });
  const byte = Buffer.from('x');
  for (let i = 0; i < maxBytes; i++) splitter.push(byte);
  expect(splitter.heldBytes).toBeLessThanOrEqual(maxBytes + 64 * KIB);
  expect(tooLong).toBe(0);
  for (let i = 0; i < 10; i++) splitter.push(byte);
  expect({ tooLong, held: splitter.heldBytes }).toEqual({ tooLong: 1, held: 0 });
});

test('memory of a long line is given back', () => {
  const splitter = new LineSplitter({ maxBytes: 1024 * KIB, onLine: () => {} });
  splitter.push(Buffer.alloc(900 * KIB, 'x'));
  expect(splitter.heldBytes).toBeGreaterThanOrEqual(900 * KIB);
  splitter.push(Buffer.from('\n'));
  expect(splitter.heldBytes).toBeLessThanOrEqual(64 * KIB);
});

test.each([
  ['in one chunk', ['abcdefgh\nij\n']],
  ['over several', ['abc', 'def', 'gh', '\ni', 'j\n']],
  ['when the rest comes later', ['abcdefg', 'h', '\nij\n']],
])('without a handler for it, a line is cut at the limit: %s', (_name, chunks) => {
  const lines: string[] = [];
  const splitter = new LineSplitter({ maxBytes: 4, onLine: (line) => lines.push(line) });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  expect(lines).toEqual(['abcd', 'ij']);
});

test('stopping within a line ends the chunk in work', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    maxBytes: 10,
    onLine: (line) => {
      lines.push(line);
      splitter.stop();
    },
  });
  splitter.push(Buffer.from('a\nb\nc'));
  splitter.push(Buffer.from('d\n'));
  splitter.end();
  expect(lines).toEqual(['a']);
});

test('a long line that nobody wants is left out where it arrives in pieces, and is bounded all the same', () => {
  const splitIt = (pieces: readonly string[]): readonly string[] => {
    const lines: string[] = [];
    const splitter = new LineSplitter({
      maxBytes: KIB,
      onLine: (line) => lines.push(line),
      onTooLong: () => lines.push('<too long>'),
      skips: (beginning) => beginning.startsWith('unwanted'),
    });
    for (const piece of pieces) {
      splitter.push(Buffer.from(piece));
      expect(splitter.heldBytes).toBe(0);
    }
    splitter.end();
    return lines;
  };
  const part = 'x'.repeat(300);
  expect(splitIt([`a\nunwanted${part}`, part, `${part}\nb\n`])).toEqual(['a', 'b']);
  expect(splitIt([`unwanted${part}`, part, part, part, 'x\nb\n'])).toEqual(['<too long>']);
});

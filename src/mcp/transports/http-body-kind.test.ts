import { expect, test } from 'vitest';
import { kindOfBody, withoutMark } from './http-body-kind.js';

test.each([
  ['{"a":1}', 'json'],
  ['[1]', 'json'],
  [' \r\n\t{', 'json'],
  ['\uFEFF{', 'json'],
  ['event: message', 'sse'],
  ['data:x', 'sse'],
  ['id: 1', 'sse'],
  ['retry: 1', 'sse'],
  [': hello', 'sse'],
  ['\n\ndata: x', 'sse'],
  ['\uFEFFdata: x', 'sse'],
  ['', 'undecided'],
  ['  ', 'undecided'],
  ['ev', 'undecided'],
  ['event', 'undecided'],
  ['i', 'undecided'],
  ['<html>', 'other'],
  ['events: x', 'other'],
  ['data x', 'other'],
  ['"text"', 'other'],
  ['true', 'other'],
  [' '.repeat(2000), 'other'],
])('C24: a body that begins %j is %s', (begun, expected) => {
  expect(kindOfBody(Buffer.from(begun))).toBe(expected);
});

test('C24: a byte order mark may come in pieces', () => {
  expect(kindOfBody(Buffer.from([0xef]))).toBe('undecided');
  expect(kindOfBody(Buffer.from([0xef, 0xbb]))).toBe('undecided');
  expect(kindOfBody(Buffer.from([0xef, 0x20]))).toBe('other');
});

test('a byte order mark is taken off once', () => {
  expect(withoutMark(Buffer.from('\uFEFF\uFEFFx')).toString()).toBe('\uFEFFx');
  expect(withoutMark(Buffer.from('x')).toString()).toBe('x');
  expect(withoutMark(Buffer.alloc(0))).toHaveLength(0);
});

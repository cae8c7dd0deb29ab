import { expect, test } from 'vitest';
import { endOfEvents, endOfLines, hasFewEvents, hasFewLines, ReadBacklog } from './read-backlog.js';

const event = (n: number): string => `event: message\ndata: ${n}\n\n`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => event(n)).join('');
const long = `data: ${'x'.repeat(900)}\n\n`;

test.each([
  ['', 0],
  ['data: x', 7],
  [many(8), many(8).length],
  [many(9), many(8).length],
  [many(8).slice(0, -1), many(8).length - 1],
  [many(20).replaceAll('\n', '\r\n'), many(8).replaceAll('\n', '\r\n').length],
  [long.repeat(5), long.length * 2],
  [': x\n'.repeat(100), 32 * 4],
  [`data: ${'x'.repeat(9_000)}`, 9_006],
  [many(20).replaceAll('\n', '\r').repeat(10), 1024],
])('of %j the first events end at %i', (text, end) => {
  expect(endOfEvents(Buffer.from(text), 0)).toBe(end);
});

test.each([
  ['', 0],
  ['{}', 2],
  ['{}\n'.repeat(9), 12],
  [`${'x'.repeat(900)}\n`.repeat(5), 2 * 901],
  ['x'.repeat(9_000), 9_000],
])('of %j the first lines end at %i', (text, end) => {
  expect(endOfLines(Buffer.from(text), 0)).toBe(end);
});

test.each([
  ['data: x', true],
  ['x'.repeat(9_000), true],
  [many(2), true],
  [many(2).replaceAll('\n', '\r\n'), true],
  [`${many(2)}event: message\ndata: begun`, true],
  [many(3), false],
  [': x\n'.repeat(9), false],
  ['data: x\r\rdata: x\r\r', false],
])('%j are few events: %s', (text, few) => {
  expect(hasFewEvents(Buffer.from(text))).toBe(few);
});

test.each([
  ['{}', true],
  ['{}\n{}\n', true],
  ['{}\n{}\n{', true],
  ['{}\n{}\n{}\n', false],
])('%j are few lines: %s', (text, few) => {
  expect(hasFewLines(Buffer.from(text))).toBe(few);
});

test.each([
  [endOfEvents, [many(20), 'data: half', '\n\n'], 5],
  [endOfLines, ['{}\n'.repeat(20), '{"half', '":1}\n'], 7],
])('a backlog gives back what it got, in small pieces', (endOfStep, texts, count) => {
  const backlog = new ReadBacklog(endOfStep);
  for (const text of texts) backlog.push(Buffer.from(text));
  const pieces: string[] = [];
  for (let piece = backlog.take(); piece !== undefined; piece = backlog.take()) pieces.push(piece.toString());
  expect(pieces.join('')).toBe(texts.join(''));
  expect(pieces).toHaveLength(count);
  expect(backlog.isEmpty).toBe(true);
});

test('a backlog of copies stays as it was when the bytes change their place', () => {
  const backlog = new ReadBacklog(endOfLines);
  const place = Buffer.alloc(4);
  const take = (): string | undefined => backlog.take()?.toString();
  const push = (text: string): void => backlog.pushCopy(place.subarray(0, place.write(text)));
  push('{1}\n');
  push('{2}\n');
  expect(take()).toBe('{1}\n');
  push('{3}\n');
  expect(take()).toBe('{2}\n');
  expect(take()).toBe('{3}\n');
  expect(backlog.isEmpty).toBe(true);
  push('{4\n');
  place.fill(0);
  expect(take()).toBe('{4\n');
});

import { expect, test } from 'vitest';
import { LongAnswer, prepareResult, writeAnswer, writePrepared } from './prepared-result.js';

test('a prepared result is written once for each form, and each answer has its own id', () => {
  let writes = 0;
  const write = (): string => `"text ${++writes}"`;
  const prepared = prepareResult({});
  const answers = [
    writePrepared(1, prepared, 'a', write),
    writePrepared(2, prepared, 'b', write),
    writePrepared('three', prepared, 'a', write),
  ];
  expect(answers).toEqual([
    '{"jsonrpc":"2.0","id":1,"result":"text 1"}',
    '{"jsonrpc":"2.0","id":2,"result":"text 2"}',
    '{"jsonrpc":"2.0","id":"three","result":"text 1"}',
  ]);
});

test('a long one is kept as bytes, which all answers share', () => {
  const text = JSON.stringify('ä'.repeat(100_000));
  const prepared = prepareResult({});
  const [one, two] = [1, 'zwei „2“'].map((id) => writePrepared(id, prepared, 'a', () => text));
  if (!(one instanceof LongAnswer) || !(two instanceof LongAnswer)) throw new Error('they are not long');
  expect(one.result).toBe(two.result);
  expect(two.toString()).toBe(`{"jsonrpc":"2.0","id":"zwei „2“","result":${text}}`);
});

test('forms that are never the same do not pile up', () => {
  const prepared = prepareResult({});
  for (let i = 0; i < 1000; i++) writePrepared(1, prepared, `form ${i}`, () => 'x');
  expect(prepared.texts.size).toBeLessThanOrEqual(32);
});

test('a long result of one answer is not joined with what stands around it', () => {
  const text = JSON.stringify('x'.repeat(100_000));
  const answer = writeAnswer(7, text);
  expect(answer).toBeInstanceOf(LongAnswer);
  expect(answer.toString()).toBe(`{"jsonrpc":"2.0","id":7,"result":${text}}`);
  expect(writeAnswer(7, '{}')).toBe('{"jsonrpc":"2.0","id":7,"result":{}}');
});

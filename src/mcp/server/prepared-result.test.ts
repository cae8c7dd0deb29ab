import { expect, test } from 'vitest';
import { prepareResult, textOf } from './prepared-result.js';

test('a plain result is written each time, a prepared one once for each form', () => {
  let writes = 0;
  const write = (): string => `text ${++writes}`;
  const prepared = prepareResult({});
  expect([textOf({}, 'a', write), textOf({}, 'a', write)]).toEqual(['text 1', 'text 2']);
  expect([textOf(prepared, 'a', write), textOf(prepared, 'b', write), textOf(prepared, 'a', write)]).toEqual([
    'text 3',
    'text 4',
    'text 3',
  ]);
});

test('forms that are never the same do not pile up', () => {
  const prepared = prepareResult({});
  for (let i = 0; i < 1000; i++) textOf(prepared, `form ${i}`, () => 'x');
  expect(prepared.texts.size).toBeLessThanOrEqual(32);
});

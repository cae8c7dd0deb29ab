import type { ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { explainJsonError } from './json-error.js';
import { jsonc } from './languages.js';

test.each([
  ['', /^the file is empty/],
  [' \n', /^the file is empty/],
  ['{"a":', /a value is missing/],
  ['{"a":1', /closing \}/],
  ['{"a":[1', /closing \]/],
  ['{a: 1}', /double quotes/],
  ["{'a': 1}", /double quotes/],
  ['{"a" 1}', /colon/],
  ['{"a":1 "b":2}', /comma/],
  ['{"a":"x}', /not closed/],
  ['{"a":"C:\\dir"}', /backslash/],
  ['{"a":"x\u0001"}', /control character/],
  ['{} {}', /follows the end/],
])('%j is explained in words', (text, expected) => {
  const errors: ParseError[] = [];
  jsonc().parse(text, errors, { allowTrailingComma: true });
  const [problem] = errors;
  expect(problem && explainJsonError(text, problem)).toMatch(expected);
});

test('every fault that the parser knows has words', () => {
  const codes = Array.from({ length: 16 }, (_, index) => index + 1);
  const names = codes.map((error) => explainJsonError('x', { error }));
  expect(names.filter((words) => !words.includes(' '))).toEqual([]);
});

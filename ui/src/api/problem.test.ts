import { expect, test } from 'vitest';
import { toProblem } from './problem.js';
import { ApiError } from './request.js';

const problemOf = (message: string, errors?: readonly unknown[]) => {
  const { text, reasons } = toProblem(
    new ApiError(400, { code: 'invalid', message, ...(errors !== undefined && { details: { errors } }) }),
  );
  return { text, reasons };
};

test.each([
  ['it is not there', undefined, 'It is not there.', []],
  ['policy p: one', ['one'], 'Policy p: one.', []],
  ['policy p: one; two', ['one', 'two'], 'Policy p:', ['one', 'two']],
  ['one; two', ['one', 'two'], 'One; two.', []],
  ['it is wrong', [{ path: 'a', message: 'is missing' }], 'It is wrong.', ['a: is missing']],
])('%s, with the reasons %j, tells each reason once', (message, errors, text, reasons) => {
  expect(problemOf(message, errors)).toEqual({ text, reasons });
});

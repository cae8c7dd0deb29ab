import { expect, test } from 'vitest';
import { parseCoreList } from './cores.js';

test.each([
  ['0-1', [0, 1]],
  ['3', [3]],
  ['0-2,5,8-9', [0, 1, 2, 5, 8, 9]],
  ['', []],
  ['all', []],
])('the cores %j are %j', (list, expected) => {
  expect(parseCoreList(list)).toEqual(expected);
});

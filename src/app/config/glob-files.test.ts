import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { globSync } from './glob-files.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-glob-'));
  mkdirSync(join(folder, 'sub'));
  for (const name of ['a.cedar', 'b.cedar', 'a+b.cedar', 'note.txt', 'sub/c.cedar'])
    writeFileSync(join(folder, name), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each<readonly [readonly string[], readonly string[]]>([
  [['*.cedar'], ['a+b.cedar', 'a.cedar', 'b.cedar']],
  [['a*.cedar'], ['a+b.cedar', 'a.cedar']],
  [['a+*.cedar'], ['a+b.cedar']],
  [
    ['./b.cedar', '*.cedar'],
    ['a+b.cedar', 'a.cedar', 'b.cedar'],
  ],
  [['sub/*'], ['sub/c.cedar']],
  [['none*'], []],
  [['nowhere/*'], []],
  [[], []],
])('%j finds %j', (patterns, expected) => {
  expect(globSync(patterns, folder)).toEqual(expected.map((name) => join(folder, name)));
});

test.each([
  ['none.cedar', /there is no such file/],
  ['sub', /there is no such file/],
  ['*/c.cedar', /only understood in the name of the file/],
])('%s is refused', (pattern, message) => {
  expect(() => globSync([pattern], folder)).toThrow(message);
});

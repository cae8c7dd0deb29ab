import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfigFile } from './read-file.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('several YAML documents in one file are refused in words', () => {
  const path = join(folder, 'several.yaml');
  writeFileSync(path, 'server: { port: 1 }\n---\nserver: { port: 2 }\n');
  expect(() => readConfigFile(path)).toThrow(/several\.yaml: has several documents; there can be one/);
});

test('a folder of the name of a configuration is a wrong configuration', () => {
  const path = join(folder, 'folder.yaml');
  mkdirSync(path);
  expect(() => readConfigFile(path)).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringMatching(/folder\.yaml cannot be read: it is a folder$/) as unknown,
    }),
  );
});

test.each([
  [
    'a number and a text that are one name',
    'agents:\n  1: {}\n  "1": {}\n',
    /Map keys must be unique at line 3/,
  ],
  [
    'a name of every object',
    'connectors:\n  __proto__: { url: "http://127.0.0.1:1" }\n',
    /__proto__ is no name/,
  ],
  ['one deep within', 'connectors: { a: { env: { __proto__: x } } }', /__proto__ is no name/],
  ['a set', 'connectors: !!set { a }', /a tag \(!!…\)/],
  ['an ordered map', 'connectors: !!omap [ a: { url: x } ]', /a tag \(!!…\)/],
  ['what is within itself', 'agents: &a\n  x: [*a, *a]\n', /an alias \(\*…\) within what it names/],
])('YAML that would go on as something else is refused: %s', (_what, text, message) => {
  const path = join(folder, 'odd.yaml');
  writeFileSync(path, text);
  expect(() => readConfigFile(path)).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(message) as unknown }),
  );
});

test('so is JSON with a member that would become something else', () => {
  const path = join(folder, 'odd.json');
  writeFileSync(path, '{"connectors": {\n"__proto__": {"a": {"url": "http://127.0.0.1:1"}}}}');
  expect(() => readConfigFile(path)).toThrow(/odd\.json: line 2: __proto__ is no name/);
});

test('names that are numbers, and an alias that is used twice, are what they were', () => {
  const path = join(folder, 'plain.yaml');
  writeFileSync(path, 'agents:\n  1: &a { tags: [x] }\n  2: *a\n  "3": *a\n');
  expect(readConfigFile(path)).toEqual({
    agents: { 1: { tags: ['x'] }, 2: { tags: ['x'] }, 3: { tags: ['x'] } },
  });
});

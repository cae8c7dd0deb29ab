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

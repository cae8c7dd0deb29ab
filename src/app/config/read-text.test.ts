import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readText } from './read-text.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-text-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(content: string | Uint8Array): string {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return readText(path);
}

test.each([
  ['plain', 'a: ä\r\n', 'a: ä\r\n'],
  ['with a mark before it', '\ufeffa: 1\n', 'a: 1\n'],
  ['nothing', '', ''],
])('text: %s', (_, content, expected) => {
  expect(read(content)).toBe(expected);
});

test.each([
  ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le')],
  ['Latin-1', Buffer.from('name: é', 'latin1')],
])('%s is refused, with what to do', (_, content) => {
  expect(() => read(content)).toThrow(/file is not text in UTF-8: save it in that encoding$/);
});

test.each([
  ['.', / cannot be read: it is a folder$/],
  ['none', /none cannot be read: there is no such file$/],
  ['none/x', /cannot be read: there is no such file$/],
  ['file/x', /cannot be read: ENOTDIR$/],
])('%s is refused as a wrong configuration', (name, message) => {
  read('');
  expect(() => readText(join(folder, name))).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(message) as unknown }),
  );
});

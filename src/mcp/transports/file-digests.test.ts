import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { turnsDuring } from '../../../test/support/turns-during.js';
import { FileDigests } from './file-digests.js';

const HOUR_MS = 3_600_000;
const LARGE_BYTES = 64 * 1024 * 1024;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-digests-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each([
  ['nothing', ''],
  ['more than is read at once', 'é'.repeat(400_000)],
])('a file of %s', async (name, text) => {
  expect(await new FileDigests(() => Date.now()).of(write(name, text))).toBe(sha256(text));
});

test('a folder has none, and what is not there is an error', async () => {
  const digests = new FileDigests(() => Date.now());
  expect(await digests.of(folder)).toBeUndefined();
  await expect(digests.of(join(folder, 'nothing-here'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a large one is read while others have their turns, once for all who ask until it changes', async () => {
  const path = write('large', 'x');
  truncateSync(path, LARGE_BYTES);
  const digests = new FileDigests(() => Date.now() + HOUR_MS);
  const first = digests.of(path);
  const { turns } = await turnsDuring(() => first);
  expect(turns).toBeGreaterThan(100);
  const again = await turnsDuring(() => Promise.all([digests.of(path), digests.of(path)]));
  expect(again.turns).toBeLessThan(turns / 4);
  truncateSync(path, LARGE_BYTES - 1);
  expect((await turnsDuring(() => digests.of(path))).turns).toBeGreaterThan(100);
});

test('one that changed just now is read again, for it may look the same when it changes once more', async () => {
  const digests = new FileDigests(() => Date.now());
  for (let n = 0; n < 50; n++) {
    const text = `version ${String(n).padStart(3, '0')}`;
    expect(await digests.of(write('young', text))).toBe(sha256(text));
  }
});

test('more files than are remembered are read anew', async () => {
  const digests = new FileDigests(() => Date.now() + HOUR_MS);
  const paths = Array.from({ length: 300 }, (_, n) => write(`small-${n}`, String(n)));
  for (let round = 0; round < 2; round++)
    for (const [n, path] of paths.entries()) expect(await digests.of(path)).toBe(sha256(String(n)));
});

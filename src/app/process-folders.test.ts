import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseConnector } from '../connectors/index.js';
import { looksAround, ProcessFolders } from './process-folders.js';

const root = mkdtempSync(join(tmpdir(), 'crosspoint-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folders = new ProcessFolders({ folder: join(root, 'work'), temporary: () => join(root, 'hub') });
const connector = (id: string, more: object = {}) =>
  parseConnector(id, { command: 'node', args: ['/srv/a.mjs'], ...more }, { source: 'file', now: 1 });

test('P-10: the folder of a shared process lasts as long as its connector', async () => {
  const { path, release } = folders.open(connector('a'))!;
  writeFileSync(join(path, 'kept'), '');
  release();
  expect(folders.open(connector('a'))?.path).toBe(path);
  const other = folders.open(connector('b'))!.path;
  expect([existsSync(join(path, 'kept')), statSync(path).mode & 0o777]).toEqual([true, 0o700]);
  await folders.tidy(async (id) => id === 'b');
  expect([existsSync(path), existsSync(other)]).toEqual([false, true]);
});

test('P-10: the folder of one caller is new for each process, and goes with it', () => {
  const own = connector('a', { isolation: 'per_principal' });
  const [one, two] = [folders.open(own)!, folders.open(own)!];
  expect(one.path).not.toBe(two.path);
  expect(statSync(one.path).mode & 0o777).toBe(0o700);
  one.release();
  expect([existsSync(one.path), existsSync(two.path)]).toEqual([false, true]);
});

test('P-10: what a process left in its folder that cannot be removed disturbs nobody', async () => {
  const place = join(root, 'other');
  const more = new ProcessFolders({ folder: place, temporary: () => place });
  const { release } = more.open(connector('a', { isolation: 'per_principal' }))!;
  more.open(connector('b'));
  const looked: string[] = [];
  await more.tidy(async (name) => {
    looked.push(name);
    // From now on nothing below it can be reached.
    rmSync(place, { recursive: true, force: true });
    writeFileSync(place, '');
    return false;
  });
  expect(looked).toHaveLength(2);
  release();
});

test.each<readonly [string, readonly string[], boolean]>([
  ['node', ['/srv/a.mjs', '--port', '80'], false],
  ['/usr/bin/server', [], false],
  ['node', ['server.mjs'], true],
  ['node', ['gone.mjs'], false],
  ['bin/server', [], true],
  ['server', ['--config=server.mjs'], true],
  ['server', ['--data', './new.db'], true],
  ['server', ['.'], true],
  ['npx', ['-y', 'some-server'], true],
  ['C:/tools/npx.cmd', ['some-server'], true],
  ['python3', ['-m', 'some_server'], true],
  ['node', ['--import', 'tsx', '/srv/a.ts'], true],
])('what %s %j means can only be found where the hub runs: %s', (command, args, expected) => {
  const exists = (path: string) => ['/hub/server.mjs', '/hub/bin/server'].includes(path);
  expect(looksAround({ command, args }, '/hub', exists)).toBe(expected);
});

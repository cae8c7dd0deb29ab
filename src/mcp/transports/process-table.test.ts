import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, expect, test } from 'vitest';

import { createProcessTable, parseProcStat, parsePs } from './process-table.js';

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startSleeper(): Promise<number> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
  children.push(child);
  await once(child, 'spawn');
  return child.pid!;
}

function stat(head: string, startedAt = '4711'): string {
  return `${head} 7 42 43 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 ${startedAt} 3133440 382 1844`;
}

test.each([
  ['plain', '12 (node) S', { pid: 12, parent: 7, group: 42, session: 43, startedAt: '4711' }],
  [
    'a name with blanks and parentheses',
    '12 (a) Z (b) R',
    { pid: 12, parent: 7, group: 42, session: 43, startedAt: '4711' },
  ],
  ['a zombie', '12 (node) Z', undefined],
  ['a dead process', '12 (node) X', undefined],
])('/proc: %s', (_name, head, expected) => {
  expect(parseProcStat(stat(head))).toEqual(expected);
});

test('/proc: text of another kind is no process', () => {
  expect(parseProcStat('')).toBeUndefined();
  expect(parseProcStat('12 (node) S 1 2')).toBeUndefined();
});

test('ps: zombies and odd lines are left out', () => {
  const output = [
    '    1     0     1 Ss   Sat Nov 15 09:00:00 2025',
    '  812     1   812 Z+   Sat Nov 15 09:00:01 2025',
    'warning: something',
    ' 9000   812   812 R+   Sat Nov 15 09:00:02 2025   ',
    '',
  ].join('\n');
  expect(parsePs(output)).toEqual([
    { pid: 1, parent: 0, group: 1, session: undefined, startedAt: 'Sat Nov 15 09:00:00 2025' },
    { pid: 9000, parent: 812, group: 812, session: undefined, startedAt: 'Sat Nov 15 09:00:02 2025' },
  ]);
});

test.each(['linux', 'darwin'] as const)(
  'a real child is seen, both ways of reading agree (as on %s)',
  async (platform) => {
    const pid = await startSleeper();
    const table = createProcessTable(platform);
    const [entry] = (await table.read())?.filter((found) => found.pid === pid) ?? [];
    expect(entry).toMatchObject({ pid, parent: process.pid, group: pid });
    expect(table.readSync()?.find((found) => found.pid === pid)).toEqual(entry);
  },
);

test('callers that ask together share a read that begins after they asked', async () => {
  const table = createProcessTable();
  const early = table.read();
  expect(table.read()).toBe(early);
  await early;
  const pid = await startSleeper();
  const late = await table.read();
  expect(late?.some((entry) => entry.pid === pid)).toBe(true);
  expect(late).not.toBe(await early);
});

test('a caller who comes while a read runs gets the next one', async () => {
  const table = createProcessTable();
  const first = table.read();
  await Promise.resolve();
  await Promise.resolve();
  const second = table.read();
  expect(second).not.toBe(first);
  expect(await second).not.toBe(await first);
});

test('Windows has no table', async () => {
  expect(await createProcessTable('win32').read()).toEqual([]);
});

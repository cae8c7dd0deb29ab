import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/support/http/until.js';
import { isRunning } from '../../../test/support/stdio/peers.js';
import { endLeftBehind, markProcess } from './left-behind.js';
import type { ProcessEntry } from './process-table.js';

const entry = (pid: number, group: number, startedAt: string, parent = 1): ProcessEntry => ({
  pid,
  parent,
  group,
  session: group,
  startedAt,
});

async function ended(marked: string, entries: readonly ProcessEntry[]): Promise<string[]> {
  const sent: string[] = [];
  await endLeftBehind([{ pid: 10, startedAt: marked }], {
    table: { read: async () => entries, readSync: () => entries },
    kill: (pid, signal) => void sent.push(`${pid} ${signal}`),
    graceMs: 0,
  });
  return sent;
}

describe('what a hub that is no more left behind', () => {
  test.each<readonly [string, readonly ProcessEntry[], readonly string[]]>([
    ['the process itself', [entry(10, 10, '500')], ['10 SIGTERM', '10 SIGKILL']],
    ['a grandchild whose launcher is gone', [entry(11, 10, '501')], ['11 SIGTERM', '11 SIGKILL']],
    [
      'descendants with a session of their own',
      [entry(10, 10, '500'), entry(30, 30, '600', 10), entry(31, 30, '601', 30)],
      ['10 SIGTERM', '30 SIGTERM', '31 SIGTERM', '10 SIGKILL', '30 SIGKILL', '31 SIGKILL'],
    ],
    ['another process with the same number', [entry(10, 10, '900'), entry(12, 10, '901')], []],
    ['somebody older in a group of that number', [entry(11, 10, '499')], []],
    ['strangers', [entry(20, 20, '501')], []],
    ['nobody', [], []],
  ])('%s', async (_what, entries, expected) => {
    expect(await ended('500', entries)).toEqual(expected);
  });

  test('whoever lost its parent to the first signal is not forgotten', async () => {
    const tables = [
      [entry(10, 10, '500'), entry(30, 30, '600', 10)],
      [entry(30, 30, '600'), entry(40, 40, '700')],
    ];
    const sent: string[] = [];
    await endLeftBehind([{ pid: 10, startedAt: '500' }], {
      table: { read: async () => tables.shift(), readSync: () => undefined },
      kill: (pid, signal) => void sent.push(`${pid} ${signal}`),
      graceMs: 0,
    });
    expect(sent).toEqual(['10 SIGTERM', '30 SIGTERM', '30 SIGKILL']);
  });

  test.runIf(process.platform === 'linux')(
    'P-12: a launcher that died leaves a server that is found',
    async () => {
      const script =
        "const c=require('child_process').spawn(process.execPath,['-e','setInterval(()=>{},1e3)']);console.log(c.pid);setInterval(()=>{},1e3)";
      const launcher = spawn(process.execPath, ['-e', script], {
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const server = Number(String(await new Promise((resolve) => launcher.stdout.once('data', resolve))));
      const mark = markProcess(launcher.pid ?? 0);
      launcher.kill('SIGKILL');
      await until(() => launcher.signalCode !== null, 'the end of the launcher');
      expect(isRunning(server)).toBe(true);
      expect(await endLeftBehind(mark === undefined ? [] : [mark], { graceMs: 100 })).toBe(1);
      await until(() => !isRunning(server), 'the end of the server');
    },
  );
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { isRunning } from '../../test/support/stdio/peers.js';
import { ChildGuard } from './child-guard.js';

const children: ChildProcess[] = [];
const guards: ChildGuard[] = [];
afterEach(() => {
  for (const guard of guards.splice(0)) guard.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function openGuard(shell?: string): ChildGuard {
  const guard = new ChildGuard(shell);
  guards.push(guard);
  return guard;
}

/** The first of a group of two, which ignores what it is told politely. */
async function startGroup(): Promise<{ readonly leader: number; readonly member: number }> {
  const program = `trap '' TERM; sleep 60 & echo $!; wait`;
  const child = spawn('sh', ['-c', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { leader: child.pid ?? 0, member: Number(String(line)) };
}

describe.skipIf(process.platform === 'win32')('P-12: a guard', () => {
  test('ends the groups that are left when whoever told it of them is gone, and no others', async () => {
    const [left, ended, stranger] = [await startGroup(), await startGroup(), await startGroup()];
    const guard = openGuard();
    guard.add(left.leader);
    guard.add(ended.leader);
    guard.remove(ended.leader);
    guard.close();
    await until(() => !isRunning(left.leader) && !isRunning(left.member), 'the end of the group', 10_000);
    expect([ended, stranger].map(({ leader, member }) => [leader, member].every(isRunning))).toEqual([
      true,
      true,
    ]);
    for (const { member } of [ended, stranger]) process.kill(member, 'SIGKILL');
  });

  test('that could not be started is started with the next process, and told of all', async () => {
    const shell = join(mkdtempSync(join(tmpdir(), 'crosspoint-guard-')), 'sh');
    const [first, second] = [await startGroup(), await startGroup()];
    const guard = openGuard(shell);
    guard.add(first.leader);
    // That it failed is told in a later turn of the event loop.
    await new Promise(setImmediate);
    symlinkSync('/bin/sh', shell);
    guard.add(second.leader);
    guard.close();
    const areGone = (): boolean => !isRunning(first.leader) && !isRunning(second.leader);
    await expect(until(areGone, 'the end of both', 10_000)).resolves.toBeUndefined();
    rmSync(dirname(shell), { recursive: true });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { isRunning, peerScript } from '../../../test/support/stdio/peers.js';
import { endProcessTree } from './process-shutdown.js';
import { createProcessTable, type ProcessEntry } from './process-table.js';
import { PosixProcessTree } from './process-tree.js';

const ROOT = 100;

function entry(pid: number, parent: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent, group: ROOT, session: ROOT, startedAt: `start-${pid}`, ...more };
}

/** Outside the root's group and session. */
function apart(pid: number, parent: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return entry(pid, parent, { group: pid, session: pid, ...more });
}

const STRANGERS = [apart(1, 0), apart(2, 1), apart(300, 1)];

function openTree() {
  const sent: [number, string][] = [];
  const sessions = new Set<string>();
  let entries: readonly ProcessEntry[] | undefined = [];
  const tree = new PosixProcessTree({
    pid: ROOT,
    table: { read: async () => entries, readSync: () => entries },
    onSession: ({ pid, startedAt }) => {
      const name = `${pid} ${startedAt}`;
      sessions.add(name);
      return () => sessions.delete(name);
    },
    kill: (pid, signal) => {
      sent.push([pid, signal]);
      if (pid === 999) throw new Error('ESRCH');
    },
  });
  return {
    tree,
    sessions,
    sees: (...now: ProcessEntry[]) => {
      entries = [...STRANGERS, ...now];
      return tree.survey();
    },
    seesNothing: () => {
      entries = undefined;
      return tree.survey();
    },
    signalled: () => {
      sent.length = 0;
      tree.signal('SIGTERM');
      return sent.map(([pid]) => pid).toSorted((a, b) => a - b);
    },
    killedNow: () => {
      sent.length = 0;
      tree.killNow(entries);
      return sent.map(([pid, signal]) => `${pid} ${signal}`).toSorted();
    },
  };
}

test('the group is signalled as one', async () => {
  const { sees, signalled } = openTree();
  expect(await sees(entry(ROOT, 50), entry(101, ROOT), entry(102, 101))).toBe(true);
  expect(signalled()).toEqual([-ROOT]);
});

test('P-12: sessions that descendants begin are told of, and forgotten when they are empty', async () => {
  const { sessions, sees } = openTree();
  const server = entry(101, ROOT);
  await sees(server, apart(200, 101), entry(201, 200, { group: 200, session: 200 }));
  expect([...sessions]).toEqual(['200 start-200']);
  await sees(server, entry(201, 1, { group: 200, session: 200 }), apart(400, 101));
  expect([...sessions]).toEqual(['200 start-200', '400 start-400']);
  await sees(server);
  expect([...sessions]).toEqual([]);
});

test('F33: where the table cannot be read nobody counts as gone, and those who are known stay so', async () => {
  const { tree, sees, seesNothing, signalled, killedNow } = openTree();
  await sees(entry(ROOT, 50), entry(101, ROOT), apart(200, 101));
  tree.rootExited();
  expect(await seesNothing()).toBe(true);
  expect(signalled()).toEqual([-ROOT, 200]);
  expect(killedNow()).toEqual([`-${ROOT} SIGKILL`, '200 SIGKILL']);
  expect(await sees()).toBe(false);
});

test('B3.6: descendants that left the group are signalled one by one', async () => {
  const { sees, signalled } = openTree();
  await sees(
    entry(ROOT, 50),
    entry(101, ROOT),
    apart(102, 101),
    apart(103, 102),
    entry(104, 103, { group: 103 }),
  );
  expect(signalled()).toEqual([-ROOT, 102, 103, 104]);
});

test('a descendant that changed its group only is found by its session', async () => {
  const { tree, sees, signalled } = openTree();
  tree.rootExited();
  expect(await sees(entry(102, 1, { group: 102 }))).toBe(true);
  expect(signalled()).toEqual([102]);
});

test('B3.6: orphans that were seen before are remembered, and so are their children', async () => {
  const { tree, sees, signalled } = openTree();
  await sees(entry(ROOT, 50), entry(101, ROOT), apart(102, 101));
  tree.rootExited();
  expect(await sees(apart(102, 1), apart(103, 102))).toBe(true);
  expect(signalled()).toEqual([102, 103]);
  expect(await sees()).toBe(false);
  expect(signalled()).toEqual([]);
});

test('a number that was given to another process is left alone', async () => {
  const { tree, sees, signalled } = openTree();
  await sees(entry(ROOT, 50), apart(102, ROOT));
  tree.rootExited();
  expect(await sees(apart(102, 1, { startedAt: 'later' }))).toBe(false);
  expect(signalled()).toEqual([]);
});

test("the root's number and group may be another's once it was reaped", async () => {
  const { tree, sees, signalled } = openTree();
  await sees(entry(ROOT, 50), apart(102, ROOT));
  tree.rootExited();
  expect(await sees(entry(ROOT, 7, { startedAt: 'later' }), entry(500, ROOT), apart(102, 1))).toBe(true);
  expect(signalled()).toEqual([102]);
});

test('a look that began before the root was reaped does not take it for a stranger', async () => {
  const { tree, sees, signalled } = openTree();
  const looking = sees(entry(ROOT, 50), entry(101, ROOT));
  tree.rootExited();
  expect(await looking).toBe(true);
  expect(signalled()).toEqual([-ROOT]);
});

test('an empty group is not signalled once the root was reaped', async () => {
  const { tree, sees, signalled } = openTree();
  expect(await sees()).toBe(true);
  expect(signalled()).toEqual([-ROOT]);
  tree.rootExited();
  expect(await sees()).toBe(false);
  expect(signalled()).toEqual([]);
});

test('killing at exit covers the group and everyone else, also when one of them is gone', async () => {
  const { sees, killedNow } = openTree();
  await sees(entry(ROOT, 50), apart(999, ROOT), apart(102, 999));
  expect(killedNow()).toEqual([`-${ROOT} SIGKILL`, '102 SIGKILL', '999 SIGKILL']);
});

test('we never signal ourselves', async () => {
  const { sees, signalled } = openTree();
  await sees(entry(ROOT, 50), apart(process.pid, ROOT));
  expect(signalled()).toEqual([-ROOT]);
});

test('P-8: what `ps` tells is enough to end a launcher and all its descendants', async () => {
  const child = spawn(process.execPath, [peerScript('family.mjs'), 'stay', 'group', 'session', 'deep'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const tree = new PosixProcessTree({ pid: child.pid!, table: createProcessTable('darwin') });
  const exited = once(child, 'exit').then(() => tree.rootExited());
  const [line]: unknown[] = await once(child.stdout, 'data');
  const { pids } = (JSON.parse(String(line)) as { params: { pids: number[] } }).params;
  expect(pids.filter(isRunning)).toHaveLength(4);
  const times = { stdinMs: 50, termMs: 50 };
  await endProcessTree({ tree, exited, endInput: () => child.stdin.end(), from: 'input', times });
  expect(pids.filter(isRunning)).toEqual([]);
  expect(isRunning(child.pid!)).toBe(false);
});

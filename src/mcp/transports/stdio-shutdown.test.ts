import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, expect, test } from 'vitest';

import {
  childrenOfThisProcess,
  closePeers,
  isRunning,
  openPeer,
  peerScript,
} from '../../../test/support/stdio/peers.js';
import { Recorder, until } from '../../../test/support/stdio/recorder.js';
import { createProcessTable } from './process-table.js';
import { StdioTransport } from './stdio.js';

let childrenBefore: readonly number[] = [];
let strays: number[] = [];

beforeEach(() => {
  childrenBefore = childrenOfThisProcess();
  strays = [];
});

afterEach(async () => {
  await closePeers();
  for (const pid of strays.filter(isRunning)) process.kill(pid, 'SIGKILL');
});

/** No child of ours is left, running or unreaped. */
function expectNoChildren(): void {
  expect(childrenOfThisProcess().filter((pid) => !childrenBefore.includes(pid))).toEqual([]);
}

async function timed(action: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await action();
  return performance.now() - from;
}

/** Starts a launcher with descendants and returns the pids of the latter. */
async function openFamily(life: 'stay' | 'go', ...descendants: string[]) {
  const peer = await openPeer(['family.mjs', life, ...descendants]);
  const message = await peer.heard.notification('family');
  const pids = 'params' in message ? (message.params?.['pids'] as number[]) : [];
  strays.push(...pids);
  expect(pids.length).toBeGreaterThanOrEqual(descendants.length);
  expect(pids.every(isRunning)).toBe(true);
  return { ...peer, pids };
}

test('C51: a child that heeds the end of its input is given the time, and not signalled', async () => {
  const { transport, call, heard } = await openPeer(['echo.mjs'], {
    shutdown: { stdinMs: 10_000, termMs: 10_000 },
  });
  await call(1, 'echo');
  await heard.answer(1);
  const pid = transport.pid!;
  expect(await timed(() => transport.close())).toBeLessThan(5000);
  expect(isRunning(pid)).toBe(false);
  expectNoChildren();
  expect(heard.endings).toEqual([]);
});

test('what was sent in the same turn as the close still goes out', async () => {
  const { transport, heard, call } = await openPeer(['echo.mjs']);
  await call(1, 'echo');
  await heard.answer(1);
  const sending = call(2, 'echo');
  const closing = transport.close();
  await expect(sending).resolves.toBeUndefined();
  await closing;
});

test('C51: SIGTERM ends a child that does not heed the end of its input', async () => {
  const { transport, heard } = await openPeer(['stubborn.mjs', 'ignore-eof'], {
    shutdown: { stdinMs: 200, termMs: 10_000 },
  });
  await heard.notification('hello');
  const took = await timed(() => transport.close());
  expect(took).toBeGreaterThanOrEqual(190);
  expect(took).toBeLessThan(8000);
  expectNoChildren();
});

test('B3.6, P-8: with the default times SIGKILL ends the most stubborn child within six seconds', async () => {
  const { transport, heard } = await openPeer(['stubborn.mjs', 'ignore-sigterm'], { shutdown: {} });
  await heard.notification('hello');
  const took = await timed(() => transport.close());
  expect(took).toBeGreaterThan(4900);
  expect(took).toBeLessThan(6500);
  expectNoChildren();
});

test('closing is the same whoever asks, however often', async () => {
  const { transport, heard } = await openPeer(['stubborn.mjs', 'ignore-eof']);
  await heard.notification('hello');
  await Promise.all([transport.close(), transport.close()]);
  await transport.close();
  expectNoChildren();
  expect(heard.endings).toEqual([]);
});

test.each([
  ['in the group', ['group', 'group']],
  ['in a session of its own', ['session']],
  ['in a session of its own, two levels down', ['deep']],
])('P-8: descendants %s go with the launcher', async (_name, descendants) => {
  const { transport, pids } = await openFamily('stay', ...descendants);
  await transport.close();
  expect(pids.filter(isRunning)).toEqual([]);
  expectNoChildren();
});

test('P-8: a launcher that exits by itself leaves nobody behind', async () => {
  const { heard, pids, transport } = await openFamily('go', 'group', 'session', 'deep');
  // Those outside the group are found by the survey that follows a first message; ours queue behind it.
  const table = createProcessTable();
  await table.read();
  await table.read();
  await transport.send({ text: '{}', method: 'go' });
  expect(await heard.ending()).toMatchObject({ code: 'STDIO_EXITED', exitCode: 0 });
  await until(() => !pids.some(isRunning), 'the descendants are gone');
  await transport.close();
  expectNoChildren();
});

test('P-8: a launcher that was killed leaves nobody of its group behind', async () => {
  const { heard, pids, transport } = await openFamily('stay', 'group');
  process.kill(transport.pid!, 'SIGKILL');
  expect((await heard.ending()).message).toBe('the process was ended by SIGKILL');
  await until(() => !pids.some(isRunning), 'the group is gone');
  await transport.close();
  expectNoChildren();
});

test.each([
  ['a closed output', ['stubborn.mjs', 'closes-output'], {}],
  ['a line over the limit', ['noise.mjs', 'newline-less-flood'], { limits: { lineBytes: 65_536 } }],
  ['too many bad lines', ['noise.mjs', 'bad-lines', '50'], { limits: { badLines: 10 } }],
])('P-4, P-9: after %s the process is ended without being asked', async (_name, args, options) => {
  const { heard, transport } = await openPeer(args, options);
  const pid = transport.pid!;
  await heard.ending();
  await until(() => !isRunning(pid), 'the process is gone');
  await transport.close();
  expectNoChildren();
});

test('closing while starting leaves no process', async () => {
  const transport = new StdioTransport({ command: process.execPath, args: [peerScript('echo.mjs')] });
  const starting = transport.start(new Recorder());
  await transport.close();
  await starting;
  expectNoChildren();
});

test('B3.6: many opened, crashed and closed children leave nothing', async () => {
  const listeners = process.listenerCount('exit');
  for (let round = 0; round < 3; round++) {
    const peers = await Promise.all(Array.from({ length: 6 }, () => openPeer(['echo.mjs'])));
    expect(process.listenerCount('exit')).toBe(listeners + 1);
    await Promise.all(
      peers.map(async ({ call, transport }, index) => {
        if (index % 2 === 0) await call(1, 'exit', { code: 1 });
        await transport.close();
      }),
    );
  }
  expectNoChildren();
  expect(process.listenerCount('exit')).toBe(listeners);
});

test.each(['exit', 'throw'])(
  'P-12: nobody outlives a program that ends without closing: %s',
  async (ending) => {
    const host = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        peerScript('host.ts'),
        ending,
        peerScript('family.mjs'),
        'stay',
        'group',
        'session',
        'deep',
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const [printed] = await Promise.all([text(host.stdout), once(host, 'exit')]);
    const pids = (JSON.parse(printed) as { params: { pids: number[] } }).params.pids;
    strays.push(...pids);
    expect(pids).toHaveLength(4);
    await until(() => !pids.some(isRunning), 'the descendants are gone');
  },
);

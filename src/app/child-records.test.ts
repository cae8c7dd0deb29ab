import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { closePeers, isRunning, openPeer } from '../../test/support/stdio/peers.js';
import { ChildRecords } from './child-records.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-children-'));
});
afterEach(async () => {
  await closePeers();
  rmSync(folder, { recursive: true, force: true });
});

const recorded = () => readdirSync(folder).flatMap((hub) => readdirSync(join(folder, hub)));

describe.runIf(process.platform === 'linux')('processes on record', () => {
  test('each is there while it runs, and nothing of a hub that lives is touched', async () => {
    const records = new ChildRecords(folder);
    const { transport } = await openPeer(['echo.mjs'], { onStarted: (child) => records.record(child) });
    const pid = transport.pid ?? 0;
    expect(recorded()).toEqual([expect.stringMatching(`^${pid}-\\d+$`)]);
    expect(await records.endLeftBehind()).toBe(0);
    expect(isRunning(pid)).toBe(true);
    await transport.close();
    expect(recorded()).toEqual([]);
  });

  test('P-12: those of a hub that is no more are ended', async () => {
    const { transport } = await openPeer(['echo.mjs'], {
      onStarted: (child) => new ChildRecords(folder).record(child),
    });
    const pid = transport.pid ?? 0;
    // As if another process had written it that is gone by now: this one, at a time when it was not running.
    const [own = ''] = readdirSync(folder);
    renameSync(join(folder, own), join(folder, own.replace(/\d+$/, '1')));
    expect(await new ChildRecords(folder).endLeftBehind()).toBe(1);
    await until(() => !isRunning(pid), 'the end of the process');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('P-12: so are those whom they started in a session of their own', async () => {
    await openPeer(['family.mjs', 'go', 'session'], {
      onStarted: (child) => new ChildRecords(folder).record(child),
    });
    await until(() => recorded().length === 2, 'both on record');
    const pids = recorded().map((name) => Number.parseInt(name, 10));
    const [own = ''] = readdirSync(folder);
    renameSync(join(folder, own), join(folder, own.replace(/\d+$/, '1')));
    expect(await new ChildRecords(folder).endLeftBehind()).toBe(2);
    await until(() => !pids.some((pid) => isRunning(pid)), 'the end of both');
  });

  test('what was written before the machine was started is only forgotten', async () => {
    const { transport } = await openPeer(['echo.mjs']);
    const pid = transport.pid ?? 0;
    mkdirSync(join(folder, `00000000-1-1`, `${pid}-1`), { recursive: true });
    expect(await new ChildRecords(folder).endLeftBehind()).toBe(0);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Snapshot } from '../catalog/index.js';
import { HubError, silentLogger } from '../kernel/index.js';
import { loadConfig } from './config/load-config.js';
import type * as FollowModule from './follow-replicas.js';
import type * as ScheduleModule from './schedule.js';
import { startHub } from './serve.js';

const refusals: Error[] = [];

vi.mock('./schedule.js', async (importOriginal) => {
  const original = await importOriginal<typeof ScheduleModule>();
  return {
    ...original,
    startSchedule(...parts: Parameters<typeof original.startSchedule>) {
      const schedule = original.startSchedule(...parts);
      const refresh = async (): Promise<void> => {
        const refused = refusals.pop();
        if (refused !== undefined) throw refused;
        await schedule.refresh();
      };
      return { ...schedule, refresh };
    },
  };
});

/** What another replica puts in force while this one reads its catalogue. */
let meanwhile: ((hub: Parameters<typeof FollowModule.followReplicas>[0]) => void) | undefined;

vi.mock('./follow-replicas.js', async (importOriginal) => {
  const original = await importOriginal<typeof FollowModule>();
  return {
    ...original,
    followReplicas(...parts: Parameters<typeof original.followReplicas>) {
      meanwhile?.(parts[0]);
      return original.followReplicas(...parts);
    },
  };
});

test('what another replica learns of an upstream while this one starts is not replaced by what was read before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const flags = { port: 0, data: join(folder, 'data') };
  const config = loadConfig({ flags, environment: {}, folder, now: Date.now() });
  const first = await startHub(config, silentLogger, undefined);
  await vi.waitFor(() => expect(first.hub.catalog.entries()).toHaveLength(1), 10_000);
  await first.stop();
  const [read, put]: [Snapshot[], Snapshot[]] = [[], []];
  meanwhile = ({ catalog, storage: { snapshots } }) => {
    const [latestOfAll, putSnapshot] = [snapshots.latestOfAll.bind(snapshots), catalog.putSnapshot];
    vi.spyOn(snapshots, 'latestOfAll').mockImplementation(async () => {
      const found = await latestOfAll();
      read.push(...found);
      for (const snapshot of found) putSnapshot({ ...snapshot, tools: [] });
      return found;
    });
    vi.spyOn(catalog, 'putSnapshot').mockImplementation((snapshot) => {
      put.push(snapshot);
      putSnapshot(snapshot);
    });
  };
  onTestFinished(() => void (meanwhile = undefined));
  const second = await startHub(config, silentLogger, undefined);
  onTestFinished(() => second.stop());
  expect(read).toHaveLength(1);
  expect(put).not.toContain(read[0]);
});

test('a store that is away for a moment when the hub listens already does not leave half a hub behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  refusals.push(new HubError('storage_unavailable', 'the store cannot be used at the moment'));
  const flags = { port: 0, data: join(folder, 'data') };
  const config = loadConfig({ flags, environment: {}, folder, now: Date.now() });
  const running = await startHub(config, silentLogger, undefined);
  onTestFinished(() => running.stop());
  expect((await fetch(`${running.localUrl}/ready`)).status).toBe(200);
});

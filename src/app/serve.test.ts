import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HubError, silentLogger } from '../kernel/index.js';
import { loadConfig } from './config/load-config.js';
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

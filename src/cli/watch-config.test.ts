import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Config, Flags } from '../app/index.js';
import type { Cli } from './cli.js';
import { readLocalConfig } from './local-config.js';
import { watchConfig } from './watch-config.js';

type OnChange = (read: () => Promise<Config>) => Promise<Config | undefined>;

/** Follows the configuration of a folder of its own, which names one policy. */
async function follow(onChange: OnChange, prepare: (folder: string) => void = () => {}, flags: Flags = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-watch-'));
  const file = join(folder, 'crosspoint.yaml');
  writeFileSync(file, 'policies: ["./policies/*.cedar"]\n');
  mkdirSync(join(folder, 'policies'));
  const cli = { folder, environment: {} } as unknown as Cli;
  const readAt = Date.now();
  const started = { config: await readLocalConfig(cli, flags, readAt), readAt };
  prepare(folder);
  const onError = vi.fn<(error: unknown) => void>();
  const watcher = watchConfig(cli, flags, started, { onChange, onError });
  onTestFinished(async () => {
    await watcher.close();
    rmSync(folder, { recursive: true });
  });
  return { file, folder, watcher, onError };
}

test('what cannot be watched is told, and the rest is watched all the same', async () => {
  const onChange = vi.fn<OnChange>(async () => undefined);
  const { file, onError } = await follow(onChange, (folder) => {
    rmdirSync(join(folder, 'policies'));
    // Leads to itself.
    symlinkSync(join(folder, 'policies'), join(folder, 'policies'));
  });
  await vi.waitFor(() => expect(onError).toHaveBeenCalled(), 5_000);
  await vi.waitFor(() => {
    writeFileSync(file, 'policies: []\n');
    expect(onChange).toHaveBeenCalled();
  }, 5_000);
});

test('what changed between the reading for the start and the watching is taken up', async () => {
  const texts: string[][] = [];
  const take: OnChange = async (read) => {
    const config = await read();
    texts.push(config.policies.map(({ text }) => text));
    return config;
  };
  const text = 'forbid(principal, action, resource);';
  await follow(take, (folder) => writeFileSync(join(folder, 'policies', 'late.cedar'), text));
  await vi.waitFor(() => expect(texts).toEqual([[text]]), 5_000);
});

test('what did not change is not taken up again', async () => {
  const onChange = vi.fn<OnChange>(async () => undefined);
  await follow(onChange);
  await sleep(1_000);
  expect(onChange).not.toHaveBeenCalled();
});

test('a configuration that could not be taken up does not keep the next one from it', async () => {
  const onChange = vi.fn<OnChange>(async (read) => read());
  onChange.mockRejectedValueOnce(new Error('the disk is full'));
  const { watcher, onError } = await follow(onChange);
  watcher.reload();
  watcher.reload();
  await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(2));
  expect(onError).toHaveBeenCalledOnce();
});

test('a file that is gone leaves the configuration as it was, and one of another name takes its place', async () => {
  const files: (string | undefined)[] = [];
  const refusals: unknown[] = [];
  const { file, folder, watcher } = await follow(async (read) => {
    const config = await read().catch((error: unknown) => void refusals.push(error));
    if (config !== undefined) files.push(config.configFile);
    return config ?? undefined;
  });
  rmSync(file);
  watcher.reload();
  await vi.waitFor(() => expect(refusals).not.toEqual([]), 5_000);
  expect(refusals[0]).toMatchObject({
    code: 'config_invalid',
    message: `${file}: there is no such file any more`,
  });
  const other = join(folder, 'crosspoint.json');
  await vi.waitFor(() => {
    writeFileSync(other, '{}');
    expect(files).toContain(other);
  }, 5_000);
});

test.each([{}, { config: 'crosspoint.yaml' }])(
  'a file that comes back is followed again: %j',
  async (flags) => {
    let [seen, refused] = [0, 0];
    const take: OnChange = async (read) => {
      const config = await read().catch(() => undefined);
      if (config === undefined) refused++;
      else seen++;
      return config;
    };
    const { file } = await follow(take, () => {}, flags);
    await vi.waitFor(() => {
      writeFileSync(file, '{}\n');
      expect(seen).toBeGreaterThan(0);
    }, 5_000);
    // What the last of these writes led to is over.
    await sleep(1_000);
    const [away, before] = [`${file}.away`, seen];
    renameSync(file, away);
    await vi.waitFor(() => expect(refused).toBeGreaterThan(0), 5_000);
    writeFileSync(away, 'policies: []\n');
    renameSync(away, file);
    await vi.waitFor(() => expect(seen).toBeGreaterThan(before), 5_000);
  },
);

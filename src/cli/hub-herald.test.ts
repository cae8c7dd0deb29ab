import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../app/index.js';
import type { Cli } from './cli.js';
import { createHubHerald } from './hub-herald.js';

test('a hub whose place cannot be written down goes on, and says so once', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crosspoint-herald-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  // Nothing can take its place.
  mkdirSync(join(dataDir, 'hub.json', 'full'), { recursive: true });
  const notes: string[] = [];
  const terminal = { note: (text: string) => void notes.push(text) };
  const cli = { terminal, folder: dataDir } as Partial<Cli> as Cli;
  const herald = createHubHerald(cli, { dataDir } as Partial<Config> as Config);
  for (let times = 0; times < 2; times++)
    herald.announce({ localUrl: 'http://127.0.0.1:1', configFile: undefined });
  expect(notes).toEqual([expect.stringContaining('commands do not find it')]);
  herald.ended();
});

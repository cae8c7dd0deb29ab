import { expect, test } from 'vitest';
import type { Config } from '../app/index.js';
import type { Cli } from './cli.js';
import { printReady } from './print-ready.js';

/** What is printed by a hub whose data is in this folder. */
function printed(dataDir: string): string {
  const lines: string[] = [];
  const plain = (text: string): string => text;
  const cli = {
    folder: '/home/ann',
    terminal: {
      colors: { bold: plain, cyan: plain, dim: plain, green: plain },
      print: (text: string) => void lines.push(text),
    },
  } as unknown as Cli;
  const config = { dataDir, sources: { dataDir: 'flag' }, logFormat: 'pretty' } as unknown as Config;
  printReady(cli, config, {
    url: 'http://127.0.0.1:8080',
    localUrl: 'http://127.0.0.1:8080',
    consoleUrl: 'http://x',
    hasSample: true,
  });
  return lines.join('\n');
}

test.each([
  ['/srv/hub', '/srv/hub'],
  ['/srv/my hub', "'/srv/my hub'"],
  ["/srv/ann's", "'/srv/ann'\\''s'"],
  ['/srv/$(id)', "'/srv/$(id)'"],
])('lines to paste hold a path as one word: %s', (folder, word) => {
  const text = printed(folder);
  expect(text).toContain(`npx crosspoint call sample__echo text=hello --data ${word}\n`);
  expect(text).toContain('export HUB_KEY=$(cat ' + word.replace(/'?$/, (end) => `/local.token${end}`) + ')');
});

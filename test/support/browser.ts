import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from '@playwright/test';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL_MS = 240_000;

/**
 * The machine's own Chromium without a window. Where there is none, Debian's package is installed if that is possible;
 * otherwise this throws, because a suite that skips its browser proves nothing.
 */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser() ?? installBrowser(),
    // Tests may run as root and in containers, where its sandbox cannot be set up; they open nothing but their own pages.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

function findBrowser(): string | undefined {
  const given = process.env['CROSSPOINT_TEST_BROWSER'];
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

function installBrowser(): string {
  const failure = 'these tests need Chromium: install it, or name one in CROSSPOINT_TEST_BROWSER';
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
      env,
      stdio: 'ignore',
      timeout: INSTALL_MS,
    });
  } catch (error) {
    throw new Error(failure, { cause: error });
  }
  const installed = findBrowser();
  if (installed === undefined) throw new Error(failure);
  return installed;
}

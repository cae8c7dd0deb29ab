import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import { ROOT } from '../../scripts/repository.js';
import { runTool } from '../../scripts/run-program.js';
import type { TestHub } from './start-hub.js';

const BUILT = join(ROOT, 'dist', 'ui', 'index.html');
const SOURCES = ['ui', 'src/contract'];

const LOCK = join(ROOT, 'dist', '.console-build');
const BUILD_MS = 120_000;

/** Builds the console unless what is built is newer than every source. Several test files may ask at the same time. */
export async function ensureConsole(): Promise<void> {
  const deadline = Date.now() + BUILD_MS;
  while (!isBuilt()) {
    if (Date.now() > deadline) throw new Error(`the console was not built in time; is ${LOCK} left over?`);
    if (takeLock()) {
      try {
        await build();
      } finally {
        rmdirSync(LOCK);
      }
    } else await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isBuilt(): boolean {
  if (existsSync(LOCK)) return false;
  const builtAt = existsSync(BUILT) ? statSync(BUILT).mtimeMs : 0;
  const changes = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  return builtAt > Math.max(...changes);
}

function takeLock(): boolean {
  mkdirSync(dirname(LOCK), { recursive: true });
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    return false;
  }
}

async function build(): Promise<void> {
  const { exitCode, output } = await runTool('vite', ['build', '--config', 'ui/vite.config.ts']);
  if (exitCode !== 0) throw new Error(`the console could not be built:\n${output}`);
}

export interface OpenConsole {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Whatever the browser complained about: failed scripts, refused content, missing files. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** A browser whose owner has signed in at the hub, at the first page of the console. */
export async function openConsole(
  browser: Browser,
  hub: Pick<TestHub, 'url' | 'adminToken'>,
  options: BrowserContextOptions & { readonly secret?: string } = {},
): Promise<OpenConsole> {
  const { secret = hub.adminToken, ...others } = options;
  const context = await browser.newContext({
    baseURL: hub.url,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...others,
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto('/sign-in');
  await page.getByLabel('Admin token or agent key').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return { context, page, complaints, close: () => context.close() };
}

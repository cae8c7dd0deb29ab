import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole } from '../support/console.js';
import { expectReadable } from '../support/expect-readable.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';

const NAMES = {
  script: '<script>document.title = "owned"</script>',
  image: '<img src=x onerror="document.title = \'owned\'">',
  form: '"><form action="https://evil.example"><button>Sign out</button></form>',
  turned: 'agent\u202Egnp.exe',
  long: 'x'.repeat(200),
};
const KEY = 'ci-key-0123456789abcdef';

let folder: string;
let hub: HubProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Whatever the browser complained about. */
let complaints: string[];

beforeAll(async () => {
  await ensureConsole();
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-browser-'));
  const named = Object.entries(NAMES).map(([id, name]) => [id, { name }] as const);
  const config = { agents: { ...Object.fromEntries(named), ci: { keys: [KEY] } } };
  [hub, browser] = await Promise.all([startHubProcess(folder, config), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext({ baseURL: hub.url, viewport: { width: 1024, height: 768 } });
  page = await context.newPage();
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
});
afterEach(() => context?.close());

async function signIn(secret: string): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Admin token or agent key').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const title = (): Promise<string> => page.locator('h1').innerText();
/** Admins come to the console. */
const waitForConsole = (): Promise<void> =>
  page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

test('the printed link signs in once; a reload stays, signing out ends, and going back shows nothing', async () => {
  await page.goto(hub.consoleUrl);
  expect(await context.cookies()).toEqual([]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await waitForConsole();
  expect(page.url()).toBe(`${hub.url}/`);
  expect(await context.cookies()).toEqual([
    expect.objectContaining({
      name: 'crosspoint',
      httpOnly: true,
      sameSite: 'Lax',
      secure: false,
      path: '/',
    }),
  ]);
  expect(await page.evaluate('document.cookie')).toBe('');

  await page.reload();
  await waitForConsole();

  await page.getByRole('button', { name: 'Sign out' }).click();
  // The page and its event stream both notice, so that it may be led there twice.
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(page.url()).toBe(`${hub.url}/sign-in`);
  expect(await context.cookies()).toEqual([]);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

  await page.goto(hub.consoleUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').innerText()).toContain('not valid, or not any more');
  expect(await context.cookies()).toEqual([]);
  expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
});

test('B4.7: hostile names are text: no script ran, nothing was put into the page', async () => {
  await signIn(hub.adminToken);
  await waitForConsole();
  await page.goto('/agents');
  await page.getByRole('list', { name: 'Agents' }).getByText(NAMES.script).waitFor();
  const shown = await page.locator('main').innerText();
  for (const text of [NAMES.script, NAMES.image, NAMES.form, 'agent\\u{202e}gnp.exe'])
    expect(shown).toContain(text);
  const injected = 'main script, main img, main [onerror], main form';
  expect(await page.locator(injected).count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
  expect(complaints).toEqual([]);
});

test('an agent signs in with its key and is no admin', async () => {
  await signIn(KEY);
  expect(await title()).toBe('Signed in as the agent ci');
  expect((await context.request.get('/api/v1/status')).status()).toBe(401);
});

test('A-2: a page of another origin can send the form, and nothing comes of it', async () => {
  await signIn(hub.adminToken);
  await waitForConsole();
  const before = await context.cookies();
  const evil = await context.newPage();
  await evil.route('https://evil.example/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${hub.url}/sign-out"><button>win</button></form>
        <form method="post" action="${hub.url}/sign-in"><input name="secret" value="${KEY}"><button>swap</button></form>`,
    }),
  );
  for (const name of ['win', 'swap']) {
    await evil.goto('https://evil.example/');
    const [answer] = await Promise.all([
      evil.waitForResponse((response) => response.request().method() === 'POST'),
      evil.getByRole('button', { name }).click(),
    ]);
    expect(answer.status()).toBe(403);
  }
  expect(await context.cookies()).toEqual(before);
  await page.reload();
  await waitForConsole();
});

test.each([
  ['light', 360],
  ['dark', 360],
  ['light', 1024],
  ['dark', 1024],
] as const)(
  'in %s, %d pixels wide: everything fits, can be read and be reached by keyboard',
  async (scheme, width) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 640 });
    await page.goto('/sign-in');
    await expectReadable(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.id')).toBe('secret');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    expect(Number.parseFloat(String(outline))).toBeGreaterThanOrEqual(2);
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${hub.url}/`);
    await expectReadable(page);
  },
);

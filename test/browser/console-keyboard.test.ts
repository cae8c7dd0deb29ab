import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Stops that lie between one thing and the next at most: more, and nobody would find it. */
const MOST_STOPS = 60;

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  [hub, upstream, browser] = await Promise.all([
    startTestHub(),
    startUpstream({
      tools: [{ name: 'look', inputSchema: { type: 'object', properties: {} } }],
      call: () => ({ content: [{ type: 'text', text: 'seen' }] }),
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

/** What has the focus, as one would name it. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  const label = at.labels?.[0]?.textContent ?? at.getAttribute('aria-label') ?? at.textContent ?? '';
  return label.trim();
})()`;

async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(FOCUSED);
    if (name.test(focused)) {
      expect(await page.evaluate('document.activeElement.matches(":focus-visible")')).toBe(true);
      return;
    }
    passed.push(focused.slice(0, 40));
  }
  throw new Error(`${String(name)} is not reached by Tab: ${passed.join(' | ')}`);
}

const openAt = async (page: Page, name: RegExp): Promise<void> => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

test('the way from signing in to reading an event needs nothing but keys', async () => {
  const context = await browser.newContext({ baseURL: hub.url, reducedMotion: 'reduce' });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.keyboard.press('Tab');
  await page.keyboard.type(hub.adminToken);
  await page.keyboard.press('Enter');
  await heading(page, 'Overview');

  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await openAt(page, /^Add a connector$/);
  await heading(page, 'Add a connector');
  await tabTo(page, /^Address$/);
  await page.keyboard.type(upstream.url);
  await tabTo(page, /^Name$/);
  await page.keyboard.type('Tracker');
  await openAt(page, /^Advanced$/);
  await tabTo(page, /^May reach into a private network$/);
  await page.keyboard.press('Space');
  await openAt(page, /^Test the connection$/);
  await page.getByText('The connection works.').waitFor();
  await page.keyboard.press('Shift+Tab');
  expect(await page.evaluate(FOCUSED)).toBe('Add and sync');
  await page.keyboard.press('Enter');
  await page.getByText("Discovered 1 tool from 'Tracker'.").waitFor();
  await openAt(page, /^Sync$/);
  await page.getByText('Nothing is different from before.').waitFor();

  await openAt(page, /^look$/);
  await heading(page, /look/);
  // The playground is loaded when it is first opened.
  await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
  await openAt(page, /^Call$/);
  await page.getByRole('region', { name: 'Text', exact: true }).filter({ hasText: 'seen' }).waitFor();

  await openAt(page, /^Agents$/);
  await heading(page, 'Agents');
  await openAt(page, /^Add an agent$/);
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate(FOCUSED)).toBe('Id');
  await page.keyboard.type('helper');
  await page.keyboard.press('Enter');
  await heading(page, 'helper');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');

  await openAt(page, /^Events$/);
  await heading(page, 'Events');
  await page
    .getByText(/called tracker__look/)
    .first()
    .waitFor();
  await openAt(page, /called tracker__look/);
  await heading(page, 'Call of tracker__look');
  const moving = await page.evaluate(
    `[...document.querySelectorAll('*')].filter((each) => {
      const { animationName, transitionDuration } = getComputedStyle(each);
      return animationName !== 'none' || parseFloat(transitionDuration) > 0;
    }).length`,
  );
  expect(moving).toBe(0);
  await context.close();
}, 180_000);

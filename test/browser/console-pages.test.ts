import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startExampleHub, type ExampleHub } from '../support/example-hub.js';

const PATHS = [
  '/',
  '/connectors',
  '/connectors/new',
  '/connectors/new?way=paste',
  '/connectors/issues',
  '/connectors/wiki?tab=credentials',
  '/connectors/issues?tab=history',
  '/connectors/issues?tab=settings',
  '/tools',
  '/tools/issues__create_issue',
  '/tools/issues__search_issues?tab=definition',
  '/tools/issues__search_issues?tab=access',
  '/tools/issues__search_issues?tab=history',
  '/agents',
  '/agents/support',
  '/policies',
  '/policies/new',
  '/policies/support',
  '/events',
  '/settings',
  '/settings?tab=clients',
  '/settings?tab=master-key',
  '/events/nothing/at/all',
];
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

let hub: ExampleHub;
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  [hub, browser] = await Promise.all([startExampleHub(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

async function visit({ page }: OpenConsole, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByText(/^Loading/)
    .first()
    .waitFor({ state: 'hidden' });
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await openConsole(browser, hub, { colorScheme });
  });
  afterAll(() => opened?.close());

  test.each([...PATHS, 'call'])('%s meets WCAG 2.2 AA, and nothing in it is refused', async (path) => {
    await visit(opened, path === 'call' ? `/events/calls/${hub.callId}` : path);
    const axe = new AxeBuilder({ page: opened.page });
    // What the colours do not change is looked at once.
    const { violations } = await (
      colorScheme === 'light' ? axe.withTags(TAGS) : axe.withRules(['color-contrast'])
    ).analyze();
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    expect(found).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  test('the ground is of that brightness, and a choice of one’s own wins and stays', async () => {
    const { page } = opened;
    await visit(opened, '/');
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const own = await ground();
    const other = colorScheme === 'light' ? 'dark' : 'light';
    await page.getByLabel('Colours').selectOption(other);
    const changed = await ground();
    expect(changed).not.toBe(own);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground()).toBe(changed);
    await page.getByLabel('Colours').selectOption('system');
    expect(await ground()).toBe(own);
  });
});

describe('on a small screen', () => {
  test('every page fits 360 pixels', async () => {
    const opened = await openConsole(browser, hub, { viewport: { width: 360, height: 740 } });
    const wide: string[] = [];
    for (const path of [...PATHS, `/events/calls/${hub.callId}`]) {
      await visit(opened, path);
      const overflow = await opened.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) wide.push(`${path}: ${String(overflow)}`);
    }
    expect(wide).toEqual([]);
    await opened.close();
  });
});

describe('by keyboard', () => {
  test('the first stop skips to the page, dialogs keep the focus and give it back', async () => {
    const opened = await openConsole(browser, hub);
    const { page } = opened;
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await visit(opened, '/agents');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Add an agent');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("dialog, body").tagName')).toMatch(
        /DIALOG|BODY/,
      );
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Add an agent');
    await opened.close();
  });
});

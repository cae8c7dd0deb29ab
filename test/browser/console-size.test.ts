import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole } from '../support/console.js';
import { RARE_TOOL, startLargeHub } from '../support/large-hub.js';
import type { TestHub } from '../support/start-hub.js';

/** The long form, with a million events, is `scripts/console-scale.ts`. */
const EVENTS = 20_000;
let hub: TestHub;
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  [hub, browser] = await Promise.all([startLargeHub({ events: EVENTS }), openBrowser()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

test('200 connectors and 10,000 tools stay quick: search, the end of the list, and few rows in the page', async () => {
  const opened = await openConsole(browser, hub);
  const { page } = opened;
  const rows = page.getByRole('main').getByRole('listitem');

  await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
  await page.getByText('busy0__tool_00000').waitFor();
  expect(await rows.count()).toBeLessThan(60);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) asked.push(request.url());
  });
  await page.getByLabel('Search tools').fill('busy3 number 1234');
  await page.getByText('busy3__tool_01234').waitFor();
  await page.getByText('1 tool', { exact: true }).waitFor();
  expect(asked.length).toBeLessThanOrEqual(2);
  await page.getByLabel('Search tools').fill('');
  await page.getByText('busy0__tool_00000').waitFor();
  const many = page.getByText(/^[5-9]00 or more tools$|^\d{4,} /);
  const scroll = async (): Promise<boolean> => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    return many.isVisible();
  };
  await expect.poll(scroll, { timeout: 15_000 }).toBe(true);
  expect(await rows.count()).toBeLessThan(60);

  await page.getByRole('navigation').getByRole('link', { name: 'Connectors' }).click();
  await page.getByRole('link', { name: 'busy0', exact: true }).waitFor();
  expect(await rows.count()).toBeLessThan(60);
  asked.length = 0;
  await page.getByLabel('Search connectors').fill('Idle 194');
  await page.getByRole('link', { name: 'Idle 194' }).waitFor();
  expect(asked).toEqual([]);
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

test('a long log is fetched page by page, searched by the hub, and few rows are in the page', async () => {
  const opened = await openConsole(browser, hub);
  const { page } = opened;
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/api/v1/events') asked.push(search);
  });
  const rows = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem');
  await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
  await rows.first().waitFor();
  expect(asked.length).toBeLessThanOrEqual(2);
  for (let pages = 0; pages < 5; pages++) {
    const before = asked.length;
    const scroll = async (): Promise<number> => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return asked.length;
    };
    await expect.poll(scroll, { timeout: 15_000 }).toBeGreaterThan(before);
  }
  expect(asked.length).toBeLessThan(12);
  expect(await rows.count()).toBeLessThan(60);

  asked.length = 0;
  await page.evaluate('scrollTo(0, 0)');
  await page.getByRole('combobox', { name: 'Tool' }).fill(RARE_TOOL);
  await page.keyboard.press('Enter');
  await page.getByText(`called ${RARE_TOOL}`).waitFor();
  expect(await rows.count()).toBe(1);
  expect(asked.filter((search) => search.includes('tool='))).toHaveLength(1);
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

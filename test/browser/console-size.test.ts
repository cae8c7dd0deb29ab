import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const TOOLS = 2_000;
const CONNECTORS = 200;
/** Generous, because other tests may run at the same time: a list that is not virtual takes many times as long. */
const MOST_MS = 3_000;

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  const tools = Array.from({ length: TOOLS }, (_, index) => ({
    name: `tool_${String(index).padStart(5, '0')}`,
    description: `Does thing number ${index}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  }));
  [upstream, browser] = await Promise.all([startUpstream({ tools }), openBrowser()]);
  const idle = Array.from({ length: CONNECTORS - 5 }, (_, index) => [
    `idle-${index}`,
    { name: `Idle ${index}`, url: 'https://mcp.example.com/mcp', enabled: false },
  ]);
  const busy = Array.from({ length: 5 }, (_, index) => [`busy${index}`, { url: upstream.url }]);
  hub = await startTestHub({ config: { connectors: Object.fromEntries([...busy, ...idle]) } });
  for (let index = 0; index < 5; index++) await waitForSync(hub, `busy${index}`, 60_000);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

async function within(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

test('200 connectors and 10,000 tools stay quick: search, the end of the list, and few rows in the page', async () => {
  const opened = await openConsole(browser, hub);
  const { page } = opened;
  const rows = page.getByRole('main').getByRole('listitem');

  await page.getByRole('navigation').getByRole('link', { name: 'Tools' }).click();
  await page.getByText('busy0__tool_00000').waitFor();
  expect(await rows.count()).toBeLessThan(60);
  const searching = await within(async () => {
    await page.getByLabel('Search tools').fill('busy3 number 1234');
    await page.getByText('busy3__tool_01234').waitFor();
    await page.getByText('1 tool', { exact: true }).waitFor();
  });
  expect(searching).toBeLessThan(MOST_MS);
  await page.getByLabel('Search tools').fill('');
  await page.getByText('busy0__tool_00000').waitFor();
  for (let scrolls = 0; scrolls < 5; scrolls++) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.waitForTimeout(50);
  }
  await page.getByText(/^[5-9]00 or more tools$|^\d{4,} /).waitFor();
  expect(await rows.count()).toBeLessThan(60);

  await page.getByRole('navigation').getByRole('link', { name: 'Connectors' }).click();
  await page.getByRole('link', { name: 'busy0', exact: true }).waitFor();
  expect(await rows.count()).toBeLessThan(60);
  const finding = await within(async () => {
    await page.getByLabel('Search connectors').fill('Idle 194');
    await page.getByRole('link', { name: 'Idle 194' }).waitFor();
  });
  expect(finding).toBeLessThan(MOST_MS);
  expect(opened.complaints).toEqual([]);
  await opened.close();
});

import type { Page } from '@playwright/test';
import { openBrowser } from '../test/support/browser.js';
import { ensureConsole, openConsole } from '../test/support/console.js';
import { RARE_TOOL, startLargeHub } from '../test/support/large-hub.js';

/**
 * How long the console takes to answer whoever uses it, with 200 connectors, 10,000 tools and a million events (or as
 * many as are named). Prints a table; docs/console.md has one.
 */
const events = Number(process.argv[2] ?? 1_000_000);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const rows = (page: Page) => page.getByRole('main').getByRole('listitem');

/** Each from the moment of the key or click to what it leads to being in the page. */
const STEPS: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['open Events', (page) => open(page, 'Events', /called busy/)],
  ['events of an outcome, among all', (page) => filter(page, 'Outcome', 'failed')],
  ['events of an agent and an outcome', (page) => filter(page, 'Agent', 'ci')],
  [
    'the one call of a tool, the oldest event',
    async (page) => {
      await page.goto('/events');
      await page.getByRole('combobox', { name: 'Tool' }).fill(RARE_TOOL);
      await page.keyboard.press('Enter');
      await page.getByText(`called ${RARE_TOOL}`).waitFor();
    },
  ],
  [
    'scroll through a thousand events',
    async (page) => {
      await page.goto('/events');
      await rows(page).first().waitFor();
      const last = page.getByRole('main').locator('li').last();
      while (Number((await last.getAttribute('data-index')) ?? 0) < 1_000)
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    },
  ],
  ['open Tools', (page) => open(page, 'Tools', 'busy0__tool_00000')],
  [
    'search all tools',
    async (page) => {
      await page.getByLabel('Search tools').fill('busy3 number 1234');
      await page.getByText('busy3__tool_01234').waitFor();
    },
  ],
  ['open Connectors', (page) => open(page, 'Connectors', 'busy0')],
  [
    'search connectors',
    async (page) => {
      await page.getByLabel('Search connectors').fill('Idle 194');
      await page.getByRole('link', { name: 'Idle 194' }).waitFor();
    },
  ],
];

async function open(page: Page, place: string, shown: string | RegExp): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: place }).click();
  await page.getByRole('main').getByText(shown).first().waitFor();
}

async function filter(page: Page, label: string, value: string): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.url().includes('/events?') && response.url().includes(value),
  );
  await page.getByRole('search').getByLabel(label).selectOption(value);
  await answered;
  await rows(page).first().waitFor();
}

await ensureConsole();
const started = performance.now();
const [hub, browser] = await Promise.all([startLargeHub({ events }), openBrowser()]);
try {
  console.log(
    `${events.toLocaleString('en')} events, ready after ${((performance.now() - started) / 1_000).toFixed(0)} s\n`,
  );
  const opened = await openConsole(browser, hub, { reducedMotion: 'no-preference' });
  console.log('| what | ms | rows in the page |\n| --- | ---: | ---: |');
  for (const [name, work] of STEPS) {
    const ms = await timed(() => work(opened.page));
    console.log(`| ${name} | ${ms.toFixed(0)} | ${await rows(opened.page).count()} |`);
  }
  await opened.close();
  let bytes = 0;
  const before = process.memoryUsage().rss;
  let most = before;
  const exporting = await timed(async () => {
    const answer = await fetch(`${hub.url}/api/v1/events/export`, {
      headers: { authorization: `Bearer ${hub.adminToken}` },
    });
    for await (const chunk of answer.body ?? []) {
      bytes += (chunk as Uint8Array).length;
      most = Math.max(most, process.memoryUsage().rss);
    }
  });
  const mib = (value: number): string => (value / 1_048_576).toFixed(0);
  console.log(
    `\nexport: ${mib(bytes)} MiB in ${(exporting / 1_000).toFixed(1)} s, memory of hub and reader grew by ${mib(most - before)} MiB`,
  );
} finally {
  await browser.close();
  await hub.close();
}

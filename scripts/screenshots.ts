import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../test/support/browser.js';
import { ensureConsole, openConsole } from '../test/support/console.js';
import { startExampleHub } from '../test/support/example-hub.js';
import { ROOT } from './repository.js';

/** Pictures of every page of the console, light and dark, for the documents. */
const PAGES: readonly (readonly [string, string])[] = [
  ['overview', '/'],
  ['connectors', '/connectors'],
  ['connector', '/connectors/issues'],
  ['add-connector', '/connectors/new'],
  ['tools', '/tools'],
  ['playground', '/tools/issues__create_issue'],
  ['agents', '/agents'],
  ['agent', '/agents/support'],
  ['policies', '/policies'],
  ['add-policy', '/policies/new?agent=support&connector=issues'],
  ['events', '/events'],
  ['settings', '/settings'],
];
const folder = join(ROOT, 'docs', 'images');
const only = process.argv[2];

mkdirSync(folder, { recursive: true });
await ensureConsole();
const [hub, browser] = await Promise.all([startExampleHub(), openBrowser()]);
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const opened = await openConsole(browser, hub, {
      colorScheme,
      viewport: { width: 1200, height: 800 },
    });
    const { page } = opened;
    for (const [name, path] of [...PAGES, ['call', `/events/calls/${hub.callId}`] as const]) {
      if (only !== undefined && only !== name) continue;
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      if (name === 'playground') await callTool(page);
      await page.waitForLoadState('load');
      await page.evaluate('scrollTo(0, 0)');
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
    await opened.close();
  }
} finally {
  await browser.close();
  await hub.close();
}

async function callTool(page: Awaited<ReturnType<typeof openConsole>>['page']): Promise<void> {
  await page.getByLabel('title').fill('The export is slow');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
}

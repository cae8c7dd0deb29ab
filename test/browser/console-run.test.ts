import { readFileSync } from 'node:fs';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What those do who run the hub: add and try, look things up, decide who comes in. */

const TOKEN = 'canary-token-of-the-form-0123456789';
const tool = (name: string) => ({ name, inputSchema: { type: 'object', properties: {} } });

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  [upstream, browser] = await Promise.all([
    startUpstream({ tools: [tool('look'), tool('stay')] }),
    openBrowser(),
  ]);
  hub = await startTestHub({ config: { connectors: { remote: { url: upstream.url } } } });
  await waitForSync(hub, 'remote');
  for (const name of ['remote__look', 'remote__look', 'remote__stay'])
    await admin(hub, 'POST', '/tools/call', { agent: 'local', name });
  opened = await openConsole(browser, hub, { acceptDownloads: true });
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

describe('a connector before it is added', () => {
  const steps = () => page.getByRole('list', { name: 'Steps' });

  test('is tried step by step; what fails says what to do, and what is changed must be tried anew', async () => {
    await page.goto('/connectors/new');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/connectors/check')) sent.push(request.postData() ?? '');
    });
    const trial = page.getByRole('button', { name: 'Test the connection' });
    await trial.click();
    expect(await page.evaluate('document.activeElement.type')).toBe('url');
    expect(sent).toEqual([]);

    await page.getByRole('textbox', { name: 'Address' }).fill(upstream.url);
    await trial.click();
    await page.getByRole('alert').filter({ hasText: 'private network' }).waitFor();
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('May reach into a private network').check();
    expect(await page.getByRole('alert').count()).toBe(0);
    await trial.click();
    await page.getByText('The connection works.').waitFor();
    expect(await steps().innerText()).toContain('2 tools');
  });

  test('shows the server the credential that was typed, and never shows it again', async () => {
    upstream.script = {
      ...upstream.script,
      intercept: ({ headers }, response) => {
        if (headers.authorization === `Bearer ${TOKEN}`) return false;
        response.writeHead(401).end();
        return true;
      },
    };
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await steps()
      .getByText(/wants to know who asks/)
      .waitFor();
    await page.getByLabel('What the server asks for').selectOption('bearer');
    await page.getByRole('textbox', { name: /^Token/ }).fill(TOKEN);
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await steps().getByText('the credential is taken').waitFor();
    expect(await steps().innerText()).not.toContain(TOKEN);
    await page.getByRole('textbox', { name: /^Token/ }).fill('another');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await steps().getByText('the credential is refused').waitFor();
    upstream.script = { tools: [tool('look'), tool('stay')] };
    expect((await admin(hub, 'GET', '/connectors')).body['items']).toHaveLength(1);
  });

  test('or as part of a configuration that is pasted', async () => {
    await page.goto('/connectors/new?way=paste');
    await page
      .getByRole('textbox', { name: 'Configuration' })
      .fill(
        JSON.stringify({ mcpServers: { gone: { url: 'http://127.0.0.1:9/mcp' }, run: { command: 'x' } } }),
      );
    await page.getByRole('button', { name: 'Read' }).click();
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByRole('alert').filter({ hasText: 'private network' }).waitFor();
    expect(await steps().count()).toBe(0);
    // What the hub refuses, the browser complains of too.
    opened.complaints.length = 0;
  });
});

describe('events', () => {
  const rows = () => page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem');

  test('are found by tool, also as they happen', async () => {
    await page.goto('/events?type=call.finished');
    await expect.poll(() => rows().count()).toBe(3);
    await page.getByRole('combobox', { name: 'Tool' }).fill('remote__look');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('tool')).toBe('remote__look');
    await admin(hub, 'POST', '/tools/call', { agent: 'local', name: 'remote__stay' });
    await admin(hub, 'POST', '/tools/call', { agent: 'local', name: 'remote__look' });
    await expect.poll(() => rows().count()).toBe(3);
    expect(await rows().allInnerTexts()).not.toContain(expect.stringContaining('stay'));
  });

  test('A-11: are saved as a file, all that match, and the log says so', async () => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('crosspoint-events.jsonl');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { exposedName: string }).exposedName)).toEqual(
      Array.from({ length: 3 }, () => 'remote__look'),
    );
    await page.goto('/events');
    await page.getByText(/Admin admin exported events up to number/).waitFor();
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(/The chain is whole: \d+ events/).waitFor();
  });
});

describe('who comes in', () => {
  test('an admin is added with a role; its token is shown once, signs in, and ends with it', async () => {
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Add an admin' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id', { exact: true }).fill('maria');
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const token = (await dialog.getByRole('region', { name: 'The new token' }).innerText()).trim();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    const admins = page.getByRole('list', { name: 'Admins' });
    await admins.getByText('maria · token ends in').waitFor();
    expect(await page.content()).not.toContain(token);

    const maria = await openConsole(browser, hub, { secret: token });
    await maria.page.goto('/settings');
    await maria.page.getByText('No program was allowed yet').waitFor();
    expect(await maria.page.getByRole('tab').allInnerTexts()).toEqual(['Programs']);

    await admins.getByRole('button', { name: 'Remove maria' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove for good' }).click();
    await admins.getByRole('button', { name: 'Remove maria' }).waitFor({ state: 'hidden' });
    await maria.page.goto('/settings');
    await maria.page.getByLabel('Admin token or agent key').waitFor();
    await maria.close();
  });

  test('the master key is named and replaced', async () => {
    await page.goto('/settings?tab=master-key');
    const main = page.getByRole('main');
    await main.getByText('In use').waitFor();
    const before = await main.locator('dl').innerText();
    await main.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).click();
    await main.getByText(/sealed with the new key/).waitFor();
    expect(await main.locator('dl').innerText()).not.toBe(before);
    expect(opened.complaints).toEqual([]);
  });
});

describe('a second visit', () => {
  test('loads no script again', async () => {
    await page.goto('/connectors');
    await page.getByRole('link', { name: 'remote', exact: true }).waitFor();
    const again = await page.context().newPage();
    await again.goto('/connectors');
    await again.getByRole('link', { name: 'remote', exact: true }).waitFor();
    const fetched = await again.evaluate<[string, number][]>(
      'performance.getEntriesByType("resource").filter((each) => each.name.includes("/console/")).map((each) => [each.name, each.transferSize])',
    );
    expect(fetched.length).toBeGreaterThan(3);
    expect(fetched.filter(([, bytes]) => bytes > 0)).toEqual([]);
    await again.close();
  });
});

import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POLICY_SCHEMA } from '../../src/governance/index.js';
import { connectAgent } from '../support/agent-client.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const FORBID = 'forbid(principal, action, resource == Tool::"remote/echo");';

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  const tools = [{ name: 'echo', inputSchema: { type: 'object', properties: {} } }];
  [upstream, browser] = await Promise.all([startUpstream({ tools }), openBrowser()]);
  hub = await startTestHub({ config: { connectors: { remote: { url: upstream.url } } } });
  await waitForSync(hub, 'remote');
  opened = await openConsole(browser, hub);
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

const text = () => page.getByLabel('Text (Cedar)');

test('what is wrong is shown while it is typed, where it is, and the schema is the hub’s own', async () => {
  await page.goto('/policies/new');
  await text().fill(
    '// Nobody\nforbid(principal, action == Action::"call", resource)\nwhen { resource.ownr == "x" };',
  );
  const problems = page.getByRole('list', { name: 'Problems' });
  await problems.getByText('line 3, column 8').waitFor();
  expect(await problems.innerText()).toContain('ownr');
  expect(await text().getAttribute('aria-invalid')).toBe('true');
  expect(await page.locator('pre .decoration-bad').allInnerTexts()).toEqual(['resource', '.', 'ownr']);
  expect(await page.locator('pre .text-muted').first().innerText()).toBe('// Nobody');
  // Both layers have the same letters at the same places.
  const sizes = await page.evaluate(
    `(() => { const area = document.querySelector('textarea'); const pre = area.previousElementSibling;
      return [area.scrollHeight <= pre.clientHeight + 1, area.clientWidth === pre.clientWidth]; })()`,
  );
  expect(sizes).toEqual([true, true]);
  const { violations } = await new AxeBuilder({ page }).include('main').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await problems.getByRole('button', { name: 'line 3, column 8' }).click();
  expect(await page.evaluate('getSelection().toString()')).toBe('resource.ownr');
  await text().fill('permit(principal');
  await problems.getByText(/unexpected end/).waitFor();
  await text().fill(FORBID);
  await page.getByText('Nothing is wrong with it.').waitFor();
  expect(await problems.count()).toBe(0);
  await page.getByText('What policies can speak of, and examples').click();
  expect(await page.getByRole('region', { name: 'Schema of policies' }).innerText()).toBe(POLICY_SCHEMA);
  expect(opened.complaints).toEqual([]);
});

test('versions are kept with who and what, and restored; clients see the difference within a second', async () => {
  const client = await connectAgent(hub);
  const names = async (): Promise<string[]> => (await client.listTools({})).items.map(({ name }) => name);
  await page.goto('/policies/new');
  await page.getByLabel('Id', { exact: true }).fill('quiet');
  await text().fill(`// First\n${FORBID}\n`);
  await page.getByRole('button', { name: 'Check and save' }).click();
  await page.getByRole('list', { name: 'Versions' }).getByText('Version 1', { exact: true }).waitFor();
  await expect.poll(names, { timeout: 1_000, interval: 20 }).not.toContain('remote__echo');
  await text().fill(`// Second\n// ${FORBID}\n`);
  await page.getByRole('button', { name: 'Check and save' }).click();
  await expect.poll(names, { timeout: 1_000, interval: 20 }).toContain('remote__echo');
  const versions = page.getByRole('list', { name: 'Versions' });
  await versions.getByText('Version 2', { exact: true }).waitFor();
  expect(await versions.innerText()).toMatch(/Version 2[^]*by admin[^]*Version 1[^]*by admin/);
  await versions.getByRole('button', { name: 'Show the change of version 2' }).click();
  const change = page.getByRole('region', { name: 'Change of version 2' });
  await change.waitFor();
  expect(await change.innerText()).toMatch(/-\s+removed:\s+\/\/ First[^]*\+\s+added:\s+\/\/ Second/);

  await versions.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('region', { name: 'What changes' }).waitFor();
  const { violations } = await new AxeBuilder({ page }).include('dialog').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.getByRole('button', { name: 'Restore it' }).click();
  await versions.getByText('Version 3', { exact: true }).waitFor();
  await expect.poll(names, { timeout: 1_000, interval: 20 }).not.toContain('remote__echo');
  expect(await text().inputValue()).toBe(`// First\n${FORBID}\n`);

  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('1 removed policy that can be restored').click();
  await page.getByRole('list', { name: 'Removed policies' }).getByRole('link', { name: 'quiet' }).click();
  await page.getByText('There is no policy of this name now.').waitFor();
  await versions.getByRole('button', { name: 'Restore version 3' }).click();
  await page.getByRole('button', { name: 'Restore it' }).click();
  await page.getByText(/^Version 5,/).waitFor();
  expect(await text().inputValue()).toBe(`// First\n${FORBID}\n`);
  await expect.poll(names, { timeout: 1_000, interval: 20 }).not.toContain('remote__echo');
  await client.close();
});

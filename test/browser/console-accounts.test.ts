import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole } from '../support/console.js';
import { startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import { closeAfterEach } from '../support/resources.js';

const keep = closeAfterEach();
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function start(
  credentialMode: 'shared' | 'per_agent',
): Promise<{ readonly page: Page; readonly accounts: AccountHub }> {
  const accounts = await startAccountHub(keep, { credentialMode });
  const { page } = keep(await openConsole(browser, accounts.hub));
  return { page, accounts };
}

test('an account for all agents is connected at the provider, and its tools are known afterwards', async () => {
  const { page } = await start('shared');
  const attention = page.getByRole('list', { name: 'Needs attention' });
  await attention.getByText('Needs sign-in').waitFor();
  await attention.getByRole('link', { name: 'Sign in' }).click();
  const credentials = page.getByRole('list', { name: 'Credentials' });
  await credentials.getByText('needs sign-in').waitFor();
  await credentials.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Tracker is connected').waitFor();
  await page.getByRole('link', { name: 'Go on' }).click();
  await page.getByText('connected', { exact: true }).waitFor();
  expect(page.url()).toContain('/connectors/tracker?tab=credentials');
  await page.getByRole('tab', { name: 'Tools (2)' }).waitFor();

  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('button', { name: 'Forget it' }).click();
  await credentials.getByText('needs sign-in').waitFor();
});

test('each agent has its own, with its state on the page of the connector and of the agent', async () => {
  const { page, accounts } = await start('per_agent');
  accounts.provider.person = 'alice@example';
  await page.goto('/agents/alice');
  const own = page.getByRole('list', { name: 'Accounts', exact: true });
  await own.getByText('needs sign-in').waitFor();
  await own.getByRole('link', { name: 'Connect' }).click();
  const credentials = page.getByRole('list', { name: 'Credentials' });
  const rowOf = (agent: string) => credentials.locator('> li').filter({ hasText: agent });
  await rowOf('alice').getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Tracker is connected for agent alice').waitFor();
  await page.getByRole('link', { name: 'Go on' }).click();
  await rowOf('alice').getByText('connected', { exact: true }).waitFor();
  expect(await rowOf('bob').getByText('needs sign-in').count()).toBe(1);
  await page.goto('/agents/alice');
  await own.getByText('connected', { exact: true }).waitFor();
  await page.goto('/agents/bob');
  await own.getByText('needs sign-in').waitFor();
});

test('who says no at the provider is told so, and nothing is stored', async () => {
  const { page, accounts } = await start('shared');
  accounts.provider.agrees = false;
  await page.goto('/connectors/tracker?tab=credentials');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.waitForURL(/oauth\/callback/);
  expect((await page.locator('main').innerText()).length).toBeGreaterThan(10);
  expect(await accounts.ask('GET', '/connectors/tracker/accounts')).toMatchObject({ body: { items: [] } });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addConnector } from '../support/add-connector.js';
import { admin } from '../support/admin.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Whoever uses the console is not alone: others change the same things, and the hub may be away for a while. */

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  [hub, upstream, browser] = await Promise.all([
    startTestHub(),
    startUpstream({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
    openBrowser(),
  ]);
  opened = await openConsole(browser, hub);
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

describe('what cannot be fetched again', () => {
  const refuse = (path: string) =>
    page.route(`**/api/v1${path}`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'not now' } } })
        : route.continue(),
    );

  test('leaves a key in sight that is shown once', async () => {
    await admin(hub, 'POST', '/agents', { id: 'keyed' });
    await page.goto('/agents/keyed');
    await page.getByRole('button', { name: 'Make a key' }).waitFor();
    await refuse('/agents/keyed');
    const asked = page.waitForResponse((answer) => answer.status() === 500);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await asked;
    const key = await page.getByRole('region', { name: 'The new key' }).innerText();
    expect(key.length).toBeGreaterThan(20);
    await page.unroute('**/api/v1/agents/keyed');
  });

  test('leaves a policy in the editor', async () => {
    const text = 'permit(principal == Agent::"keyed", action, resource);';
    await admin(hub, 'POST', '/policies', { id: 'edited', text });
    await page.goto('/policies/edited');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Text (Cedar)').fill(`// typed\n${text}`);
    await refuse('/policies/edited');
    const asked = page.waitForResponse((answer) => answer.status() === 500);
    await admin(hub, 'POST', '/policies', { id: 'another', text });
    await asked;
    await page.waitForLoadState('networkidle');
    expect(await page.getByLabel('Text (Cedar)').inputValue()).toContain('// typed');
    await page.unroute('**/api/v1/policies/edited');
    opened.complaints.length = 0;
  });
});

test.each([
  ['/agents', 'leaver'],
  ['/connectors', 'leaving'],
])('after a removal one is back at %s', async (path, id) => {
  if (path === '/agents') await admin(hub, 'POST', '/agents', { id });
  else await addConnector(hub, id, upstream.url);
  await page.goto(`${path}/${id}?tab=settings`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove for good' }).click();
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: id, exact: true }).count()).toBe(0);
});

test('the field for a tool keeps the focus when it is searched for, and follows the way back', async () => {
  await page.goto('/events');
  const tool = page.getByRole('combobox', { name: 'Tool' });
  await tool.fill('both__look');
  await tool.press('Enter');
  await page.waitForURL(/tool=both__look/);
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
  await page.getByRole('link', { name: 'Show all events' }).click();
  await expect.poll(() => tool.inputValue()).toBe('');
});

test('whoever is no longer an admin is taken to where one signs in', async () => {
  const added = await admin(hub, 'POST', '/admins', { id: 'maria', role: 'operator' });
  const maria = await openConsole(browser, hub, { secret: String(added.body['token']) });
  await maria.page.getByRole('link', { name: 'Connectors', exact: true }).click();
  await maria.page.getByText('Live', { exact: true }).waitFor();
  await admin(hub, 'DELETE', '/admins/maria');
  await maria.page.getByLabel('Admin token or agent key').waitFor();
  expect(new URL(maria.page.url()).search).toBe('?next=%2Fconnectors');
  await maria.close();
});

describe('a hub that is away', () => {
  test('is waited for, on a page that was never opened too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-away-'));
    const own = await startTestHub({ folder });
    const { page: other, close } = await openConsole(browser, own);
    await other.getByText('Live', { exact: true }).waitFor();
    const port = Number(new URL(own.url).port);
    await own.running.stop();
    await other.getByText('Connection lost').waitFor();
    // By keyboard: the pointer would fetch the page before it is opened.
    await other.getByRole('link', { name: 'Policies', exact: true }).focus();
    await other.keyboard.press('Enter');
    await other.getByText('This page could not be fetched from the hub.').waitFor();
    await other.getByRole('button', { name: 'Try again' }).click();
    expect(await other.getByRole('link', { name: 'Overview', exact: true }).count()).toBe(1);
    expect(
      await other.evaluate('Object.keys(sessionStorage).filter((key) => !key.includes("scroll"))'),
    ).toEqual([]);
    const again = await startTestHub({ folder, port });
    await other.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    await close();
    await again.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

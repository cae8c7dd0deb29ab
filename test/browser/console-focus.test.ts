import type { Browser, Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { until } from '../support/http/until.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Whoever works by keyboard goes on where they were, and whoever may do less is offered less. */

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  [upstream, browser] = await Promise.all([
    startUpstream({
      tools: ['look', 'wait'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      call: (name) =>
        name === 'wait' ? new Promise(() => {}) : { content: [{ type: 'text', text: 'seen' }] },
    }),
    openBrowser(),
  ]);
  hub = await startTestHub();
  await admin(hub, 'POST', '/connectors', {
    id: 'remote',
    url: upstream.url,
    allowPrivateNetwork: true,
    auth: { type: 'bearer' },
    credentialMode: 'per_agent',
  });
  await waitForSync(hub, 'remote');
  await admin(hub, 'PUT', '/connectors/remote/credentials/local', { token: 'any' });
  await admin(hub, 'POST', '/agents', { id: 'helper' });
  const text = 'permit(principal == Agent::"helper", action, resource);';
  await admin(hub, 'POST', '/policies', { id: 'helper', text });
  opened = await openConsole(browser, hub);
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });

async function press(name: string | RegExp): Promise<void> {
  await button(name).focus();
  await page.keyboard.press('Enter');
}

describe('the focus stays', () => {
  beforeEach(() => page.goto('/connectors/remote'));

  test('at what was pressed, when it is done', async () => {
    await press('Sync');
    await page.getByText(/Discovered 2 tools/).waitFor();
    expect(await focused()).toBe('Sync');
    await page.goto('/connectors/remote?tab=settings');
    await page.getByRole('textbox', { name: 'Name' }).fill('Remote');
    await press('Save');
    await page.getByText('Saved.').waitFor();
    expect(await focused()).toBe('Save');
    await page.goto('/agents/helper');
    await press('Disable');
    await button('Enable').waitFor();
    expect(await focused()).toBe('Enable');
    await page.keyboard.press('Enter');
    await button('Disable').waitFor();
    await page.goto('/policies/helper');
    await page.getByLabel('Text (Cedar)').press('End');
    await page.keyboard.type(' // more');
    await press('Check and save');
    await page.getByText('Saved, and in force.').waitFor();
    expect(await focused()).toBe('Check and save');
  });

  test('at the button that calls, also when the call is taken back', async () => {
    await page.goto('/tools/remote__look');
    await press('Call');
    await page.getByRole('region', { name: 'Text', exact: true }).waitFor();
    expect(await focused()).toBe('Call');
    await page.goto('/tools/remote__wait');
    await press('Call');
    await press('Cancel the call');
    await page.getByText('The call was cancelled.').waitFor();
    expect(await focused()).toBe('Call');
  });

  test('where a key was made; what is under way is not begun twice', async () => {
    const made: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/keys')) made.push(request.url());
    });
    await page.goto('/agents/helper');
    await button('Make a key').focus();
    // The second time before anything can show that it was pressed.
    await page.evaluate('document.activeElement.click(); document.activeElement.click()');
    await until(() => made.length > 0, 'the request for a key');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'The new key' }).waitFor();
    const key = (await page.getByRole('region', { name: 'The new key' }).innerText()).trim();
    expect(made).toHaveLength(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Make a key');
    const setup = page.getByRole('region', { name: 'Configuration for Claude Code' });
    expect(await setup.innerText()).toContain(key);
    await button(/Revoke/).click();
    await button('Revoke it').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await setup.innerText()).toContain('<key>');
  });
});

describe('B4.4: a viewer is not offered', () => {
  let viewer: OpenConsole;
  beforeAll(async () => {
    const added = await admin(hub, 'POST', '/admins', { id: 'looker', role: 'viewer' });
    viewer = await openConsole(browser, hub, { secret: String(added.body['token']) });
  });
  afterAll(() => viewer?.close());

  test.each([
    ['/connectors/remote', 'look', ['Give an agent access', 'Sync']],
    ['/tools/remote__look?tab=access', 'helper', ['Give an agent access']],
    ['/agents/helper', 'What it can use', ['Give access', 'Make a key', 'Connect', 'Disable']],
  ])('at %s, beside %s, %j', async (path, shown, hidden) => {
    const main = viewer.page.getByRole('main');
    await viewer.page.goto(path);
    await main.getByText(shown, { exact: true }).first().waitFor();
    await viewer.page.getByText('viewer', { exact: true }).waitFor();
    for (const name of hidden) expect(await main.getByText(name, { exact: true }).count(), name).toBe(0);
  });
});

test('B4.4: the first steps of a new hub are shown to who may walk them', async () => {
  const fresh = await startTestHub();
  const added = await admin(fresh, 'POST', '/admins', { id: 'looker', role: 'viewer' });
  const viewer = await openConsole(browser, fresh, { secret: String(added.body['token']) });
  const main = viewer.page.getByRole('main');
  await main.getByRole('heading', { name: 'Calls in the last hour' }).waitFor();
  await viewer.page.getByText('viewer', { exact: true }).waitFor();
  await viewer.page.waitForLoadState('networkidle');
  expect(await main.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  await viewer.close();
  await fresh.close();
});

test('on a small screen the place where one is stays in sight', async () => {
  const small = await openConsole(browser, hub, { viewport: { width: 390, height: 844 } });
  await small.page.goto('/settings');
  const box = await small.page.getByRole('link', { name: 'Settings', exact: true }).boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  await small.page.getByRole('link', { name: 'Events', exact: true }).click();
  await small.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  expect(await small.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await small.close();
});

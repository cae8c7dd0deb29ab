import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addConnector } from '../support/add-connector.js';
import { admin } from '../support/admin.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Settings of a connector: what is saved is what stands in the fields, and nobody's change is lost. */

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

const change = (id: string, patch: object) => admin(hub, 'PATCH', `/connectors/${id}`, patch);
const stored = async (id: string) => (await admin(hub, 'GET', `/connectors/${id}`)).body;
const name = () => page.getByRole('textbox', { name: 'Name' });

async function openSettings(id: string): Promise<void> {
  await page.goto(`/connectors/${id}?tab=settings`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Advanced', { exact: true }).click();
}

async function save(): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
}

describe('settings of a connector that somebody else changes meanwhile', () => {
  test('keep what is being typed, and take over what is not', async () => {
    await addConnector(hub, 'both', upstream.url);
    await openSettings('both');
    await name().fill('Mine');
    await change('both', { tags: ['theirs'] });
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('theirs');
    expect(await name().inputValue()).toBe('Mine');
    await save();
    expect(await stored('both')).toMatchObject({ name: 'Mine', tags: ['theirs'] });
  });

  test('are not saved over a change of the same, and what was typed stays in sight', async () => {
    await addConnector(hub, 'same', upstream.url);
    await openSettings('same');
    await name().fill('Mine');
    await change('same', { name: 'Theirs' });
    await page.getByText('Somebody changed the same meanwhile').waitFor();
    expect(await name().inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await stored('same'))['name']).toBe('Theirs');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await name().inputValue()).toBe('Theirs');
    await name().fill('Agreed');
    await save();
    expect(await stored('same')).toMatchObject({ name: 'Agreed' });
  });
});

describe('what is saved of a connector', () => {
  test('is what stands in the fields: the transport there and back, a header that is gone', async () => {
    await addConnector(hub, 'edited', upstream.url, {
      auth: { type: 'header', headers: { 'X-One': 'first', 'X-Two': 'second' } },
      credentialMode: 'shared',
    });
    await openSettings('edited');
    await page.getByLabel('Transport').selectOption('sse');
    await save();
    expect(await stored('edited')).toMatchObject({ transport: 'sse' });
    await openSettings('edited');
    await page.getByLabel('Transport').selectOption('streamable_http');
    await page.getByRole('textbox', { name: 'Headers' }).fill('X-Two:');
    await save();
    expect(await stored('edited')).toMatchObject({
      transport: 'streamable_http',
      auth: { headers: { 'X-Two': { set: true } } },
    });
    expect(JSON.stringify(await stored('edited'))).not.toContain('X-One');
  });

  test('is, where nothing but an address was given, what the command line makes of it', async () => {
    await addConnector(hub, 'plain', upstream.url);
    await page.goto('/connectors/new');
    await page.getByRole('textbox', { name: 'Address' }).fill(upstream.url);
    await page.getByRole('textbox', { name: 'Name' }).fill('formed');
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('May reach into a private network').check();
    await page.getByRole('button', { name: 'Add and sync' }).click();
    await page.getByText("Discovered 1 tool from 'formed'.").waitFor();
    const settings = ({
      id,
      name: _,
      createdAt,
      updatedAt,
      health,
      sync,
      version,
      ...rest
    }: Readonly<Record<string, unknown>>) => ({
      ...rest,
      known: [id, createdAt, updatedAt, health, sync, version].length,
    });
    expect(settings(await stored('formed'))).toEqual(settings(await stored('plain')));
  });
});

import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent } from '../support/agent-client.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

const TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    annotations: { readOnlyHint: true },
  },
  { name: 'erase', description: 'Erases everything.', inputSchema: { type: 'object', properties: {} } },
];

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;

beforeAll(async () => {
  await ensureConsole();
  [hub, upstream, browser] = await Promise.all([
    startTestHub(),
    startUpstream({
      tools: TOOLS,
      call: (_name, args) => ({ content: [{ type: 'text', text: sum(args) }] }),
    }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

function sum(args: unknown): string {
  const { a, b } = args as { readonly a: number; readonly b: number };
  return `the sum is ${a + b}`;
}

test('from the first start to reading what an agent did', async () => {
  const { page, complaints, close } = await openConsole(browser, hub);
  const main = page.getByRole('main');

  // A service, by its address.
  await main.getByRole('heading', { name: 'First steps' }).waitFor();
  await main.getByRole('link', { name: 'Add a connector' }).click();
  await main.getByRole('textbox', { name: 'Address' }).fill(upstream.url);
  await main.getByRole('textbox', { name: 'Name' }).fill('Tracker');
  expect(await main.getByLabel('Id', { exact: true }).inputValue()).toBe('tracker');
  await main.getByText('Advanced').click();
  await main.getByLabel('May reach into a private network').check();
  await main.getByRole('button', { name: 'Add and sync' }).click();
  await main.getByText("Discovered 2 tools from 'Tracker'.").waitFor();

  // One of its tools, tried.
  await main.getByRole('link', { name: 'add', exact: true }).click();
  await main.getByLabel('a required').fill('40');
  await main.getByLabel('b required').fill('2');
  await main.getByRole('button', { name: 'Call', exact: true }).click();
  await main
    .getByRole('region', { name: 'Text', exact: true })
    .filter({ hasText: 'the sum is 42' })
    .waitFor();
  await main
    .getByText(/starter\/1/)
    .first()
    .waitFor();
  expect(await main.getByRole('region', { name: 'Command line' }).innerText()).toBe(
    `npx crosspoint call tracker__add --agent local --args '{"a":40,"b":2}'`,
  );

  // An agent with a key that is shown once.
  await page.getByRole('link', { name: 'Agents' }).click();
  await main.getByRole('button', { name: 'Add an agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Id', { exact: true }).fill('helper');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await main.getByText('It sees no tools').waitFor();
  await main.getByRole('button', { name: 'Make a key' }).click();
  const key = (await dialog.getByRole('region', { name: 'The new key' }).innerText()).trim();
  expect(key.length).toBeGreaterThan(20);
  await dialog.getByRole('button', { name: 'I have it' }).click();
  expect(await main.getByRole('region', { name: 'Configuration for Claude Code' }).innerText()).toContain(
    key,
  );
  await page.reload();
  await main.getByRole('region', { name: 'Configuration for Claude Code' }).waitFor();
  expect(await page.content()).not.toContain(key);

  // What it may use.
  await main.getByRole('link', { name: 'Give access' }).click();
  await main.getByLabel('may use tools of').selectOption('tracker');
  await main.getByLabel('Which tools').selectOption('some');
  await main.getByLabel('add reads').check();
  await main.getByRole('button', { name: 'Write the policy' }).click();
  await main.getByRole('button', { name: 'Check and save' }).click();
  await main.getByText(/^Version 1,/).waitFor();

  // The agent's own client.
  const client = await connectAgent(hub, { key });
  const { items } = await client.listTools({});
  expect(items.map(({ name }) => name)).toEqual(['tracker__add']);
  await client.callTool('tracker__add', { a: 1, b: 2 });
  await client.close();

  // And what is written of it.
  await page.getByRole('link', { name: 'Events' }).click();
  await main.getByRole('link', { name: /Agent helper called tracker__add/ }).click();
  await main.getByRole('heading', { name: 'Call of tracker__add' }).waitFor();
  await main.getByText('helper-tracker/1', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await main.getByRole('heading', { name: 'Calls in the last hour' }).waitFor();
  expect(await main.getByRole('heading', { name: 'First steps' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Forms of the playground from schemas as servers write them: what is sent is what was typed, and nothing else. */

const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }], default: null });
const TOOLS = [
  {
    name: 'optional',
    inputSchema: {
      type: 'object',
      properties: {
        word: orNull({ type: 'string' }),
        count: orNull({ type: 'integer' }),
        sure: orNull({ type: 'boolean' }),
        words: orNull({ type: 'array', items: { type: 'string' } }),
        body: { type: 'string' },
      },
      required: ['body'],
    },
  },
  {
    name: 'typed',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, count: { type: 'integer' } },
      required: ['text', 'count'],
    },
  },
  {
    name: 'chosen',
    inputSchema: {
      type: 'object',
      properties: {
        seat: { oneOf: [{ const: 'w', title: 'Window' }, { const: 'a' }] },
        days: { type: 'array', items: { enum: ['mon', 'tue'] } },
      },
    },
  },
  { name: 'free', inputSchema: { type: 'object', additionalProperties: true } },
];

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  [upstream, browser] = await Promise.all([
    startUpstream({ tools: TOOLS, call: () => ({ content: [{ type: 'text', text: 'done' }] }) }),
    openBrowser(),
  ]);
  hub = await startTestHub({ config: { connectors: { remote: { url: upstream.url } } } });
  await waitForSync(hub, 'remote');
  opened = await openConsole(browser, hub, { permissions: ['clipboard-read', 'clipboard-write'] });
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

/** Calls the tool on the page, and tells with what it was called. */
async function call(): Promise<unknown> {
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByRole('region', { name: 'Text', exact: true }).filter({ hasText: 'done' }).waitFor();
  return upstream.seen.findLast(({ rpc }) => rpc.method === 'tools/call')?.rpc.params?.['arguments'];
}

const json = () => page.getByLabel('Arguments as JSON');

test('what is null by default is left blank, and not sent', async () => {
  await page.goto('/tools/remote__optional');
  await page.getByLabel('body required').fill('hello');
  expect(await call()).toEqual({ body: 'hello' });
});

test('several lines that are pasted stay several', async () => {
  await page.goto('/tools/remote__optional');
  const field = page.getByLabel('body required');
  await field.fill('[]');
  await page.evaluate('navigator.clipboard.writeText("one\\r\\ntwo\\n")');
  await field.press('Home');
  await field.press('ArrowRight');
  await field.press('ControlOrMeta+v');
  await expect.poll(() => field.inputValue()).toBe('[one\ntwo\n]');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  expect(await call()).toEqual({ body: '[one\ntwo\n]' });
});

test('what was typed goes over into JSON and back, also where something is missing or wrong', async () => {
  await page.goto('/tools/remote__typed');
  await page.getByLabel('text required').fill('a long text');
  await page.getByRole('button', { name: 'As JSON' }).click();
  expect(JSON.parse(await json().inputValue())).toEqual({ text: 'a long text' });
  await page.getByRole('button', { name: 'As form' }).click();
  await page.getByLabel('count required').fill('many');
  await page.getByRole('button', { name: 'As JSON' }).click();
  await page.getByRole('button', { name: 'As form' }).click();
  expect(await page.getByLabel('text required').inputValue()).toBe('a long text');
  expect(await page.getByLabel('count required').inputValue()).toBe('many');
});

test.each([
  ['{ "text": "abc", ', 'This is not JSON'],
  ['{ "text": "abc", "count": 1, "other": 2 }', 'The form has no field for other.'],
])('JSON that the form cannot show stays: %s', async (text, problem) => {
  await page.goto('/tools/remote__typed');
  await page.getByRole('button', { name: 'As JSON' }).click();
  await json().fill(text);
  await page.getByRole('button', { name: 'As form' }).click();
  await page.getByText(problem).waitFor();
  expect(await json().inputValue()).toBe(text);
});

test('a tool that does not name its arguments takes them as JSON', async () => {
  await page.goto('/tools/remote__free');
  await json().fill('{ "anything": 12345678901234567890 }');
  await call();
  expect(upstream.seen.findLast(({ rpc }) => rpc.method === 'tools/call')?.text).toContain(
    '{"anything":12345678901234567890}',
  );
  expect(opened.complaints).toEqual([]);
});

test('the definition names the values that are offered', async () => {
  await page.goto('/tools/remote__chosen?tab=definition');
  const rows = page.getByRole('region', { name: 'Arguments' }).getByRole('row');
  await rows.first().waitFor();
  expect((await rows.allInnerTexts()).map((row) => row.split(/\s+/).join(' '))).toEqual([
    'Name Type Meaning',
    'seat string one of "w" (Window), "a"',
    'days list of string one of "mon", "tue"',
  ]);
});

import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/mcp/jsonrpc/index.js';
import type { InputRequest } from '../../src/mcp/model/index.js';
import type { Handler } from '../../src/mcp/server/index.js';
import { admin } from '../support/admin.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { until } from '../support/http/until.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const NAMES = ['book', 'visit', 'think', 'wait', 'keep', 'parts'];
const tools = NAMES.map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } } },
}));
const SEAT: InputRequest = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which seat? <b>now</b>',
    requestedSchema: {
      type: 'object',
      properties: {
        seat: {
          type: 'string',
          oneOf: [
            { const: 'w', title: 'At the window' },
            { const: 'a', title: 'At the aisle' },
          ],
        },
        number: { type: 'integer', title: 'Ticket' },
      },
      required: ['seat'],
    },
  },
};
const PAGE: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay here.', url: 'https://pay.example.com/checkout?id=1' },
};
const SAMPLING: InputRequest = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 },
};
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Calls that were given up at the server. */
const abandoned: string[] = [];
const text = (value: unknown) => ({ content: [{ type: 'text', text: stringifyJson(value) }] });

const handlers: Record<string, Handler> = {
  'tools/list': () => ({ tools }),
  'tools/call': async (request) => {
    const { name, arguments: args } = request.params as { name: string; arguments: unknown };
    switch (name) {
      case 'book': {
        request.progress({ progress: 1, total: 3, message: 'Looking for seats' });
        const answer = await request.askClient({ seat: SEAT });
        return { ...text(args), structuredContent: { answer: answer['seat'] } };
      }
      case 'visit':
        return text(await request.askClient({ page: PAGE }));
      case 'think':
        return text(await request.askClient({ model: SAMPLING }).catch(() => 'without a model'));
      case 'wait':
        request.progress({ progress: 5, message: 'Waiting for ever' });
        request.onAbort(() => abandoned.push(name));
        return new Promise(() => {});
      case 'parts':
        return {
          content: [
            { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
            { type: 'resource', resource: { uri: 'test://text', text: 'Of a resource' } },
            { type: 'resource', resource: { uri: 'test://image', mimeType: 'image/png', blob: PIXEL } },
          ],
        };
      default:
        return text(args);
    }
  },
};

let hub: TestHub;
let upstreams: readonly AskingUpstream[] = [];
let browser: Browser;
let opened: OpenConsole;
let page: Page;

beforeAll(async () => {
  await ensureConsole();
  const [legacy, modern, started] = await Promise.all([
    startAskingUpstream('legacy', { handlers }),
    startAskingUpstream('modern', { handlers }),
    openBrowser(),
  ]);
  upstreams = [legacy, modern];
  browser = started;
  hub = await startTestHub({
    config: { connectors: { older: { url: legacy.url }, newer: { url: modern.url } } },
  });
  await Promise.all([waitForSync(hub, 'older'), waitForSync(hub, 'newer')]);
  await admin(hub, 'POST', '/policies', {
    id: 'careful',
    text: '@confirm("This is kept.") permit(principal == Agent::"local", action == Action::"call", resource == Tool::"older/keep");',
  });
  opened = await openConsole(browser, hub);
  ({ page } = opened);
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

async function call(tool: string): Promise<void> {
  await page.goto(`/tools/${tool}`);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
}

const result = () => page.getByRole('heading', { name: 'Result', exact: true });

describe('a call in the playground', () => {
  test.each(['older', 'newer'])(
    'shows how far it is, is asked in place, and tells the time of each stage (%s)',
    async (connector) => {
      await page.goto(`/tools/${connector}__book`);
      await page.getByRole('textbox', { name: /^id/ }).fill('9007199254740993');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      const question = page.getByRole('region', { name: 'The server asks' });
      await question.getByText('Which seat? <b>now</b>').waitFor();
      await page.getByText('Looking for seats').waitFor();
      expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('The server asks');
      if (connector === 'older') {
        const { violations } = await new AxeBuilder({ page }).include('main').analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);
      }
      await question.getByRole('button', { name: 'Send the answer' }).click();
      await question.getByText('This is needed.').waitFor();
      await question.getByLabel(/^seat/).selectOption({ label: 'At the aisle' });
      await question.getByLabel(/^Ticket/).fill('12345678901234567890');
      await question.getByRole('button', { name: 'Send the answer' }).click();
      await result().waitFor();
      const main = page.getByRole('main');
      // Every digit went there and came back.
      expect(await main.getByRole('region', { name: 'Text', exact: true }).innerText()).toBe(
        '{"id":9007199254740993}',
      );
      expect(await main.getByRole('region', { name: 'Structured result' }).innerText()).toMatch(
        /"action": "accept"[^]*"seat": "a"[^]*"number": 12345678901234567890/,
      );
      const stages = page.getByRole('table', { name: 'Time of each stage' });
      const told = await stages.innerText();
      for (const stage of ['Policy', 'Recording the intent', 'Connecting', 'Answer of the server'])
        expect(told).toContain(stage);
      expect(told).toContain('for an answer');
      await page.getByText('permitted by starter/1').waitFor();
      expect(await main.getByRole('region', { name: 'Command line' }).innerText()).toContain(
        '9007199254740993',
      );
      expect(opened.complaints).toEqual([]);
    },
  );

  test('a declined question is told to the server', async () => {
    await call('older__book');
    await page.getByRole('button', { name: 'Decline' }).click();
    await result().waitFor();
    expect(await page.getByRole('region', { name: 'Structured result' }).innerText()).toContain('decline');
  });

  test('numbers in raw JSON keep their digits', async () => {
    await page.goto('/tools/newer__keep');
    await page.getByRole('button', { name: 'As JSON' }).click();
    await page
      .getByLabel('Arguments as JSON')
      .fill('{"id": 123456789012345678901, "list": [0.1234567890123456789]}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await result().waitFor();
    expect(await page.getByRole('region', { name: 'Text', exact: true }).innerText()).toBe(
      '{"id":123456789012345678901,"list":[0.1234567890123456789]}',
    );
  });

  test('a page is opened only after its host was seen', async () => {
    await page.context().route('https://pay.example.com/**', (route) => route.fulfill({ body: 'paid' }));
    await call('older__visit');
    const question = page.getByRole('region', { name: 'The server asks' });
    await question.getByText('pay.example.com', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Open the page…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open pay.example.com?' });
    const popup = page.context().waitForEvent('page');
    await dialog.getByRole('button', { name: 'Open in a new window' }).click();
    const visited = await popup;
    await visited.waitForLoadState();
    expect(visited.url()).toBe('https://pay.example.com/checkout?id=1');
    expect(await visited.evaluate('opener')).toBeNull();
    await visited.close();
    await result().waitFor();
    expect(await page.getByRole('region', { name: 'Text', exact: true }).innerText()).toContain('accept');
  });

  test('what a policy wants confirmed is asked here', async () => {
    await call('older__keep');
    const question = page.getByRole('region', { name: 'A policy wants your consent' });
    await question.getByText('This is kept. Call older__keep?').waitFor();
    await question.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('alert').filter({ hasText: 'not confirmed' }).waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await question.getByRole('button', { name: 'Confirm' }).click();
    await result().waitFor();
    expect(await page.getByRole('main').innerText()).toContain('careful/1');
  });

  test('a model is not to be had here, and the server knows', async () => {
    await call('newer__think');
    await result().waitFor();
    expect(await page.getByRole('region', { name: 'Text', exact: true }).innerText()).toContain(
      'without a model',
    );
  });

  test('taking it back reaches the server', async () => {
    await call('older__wait');
    await page.getByText('Waiting for ever').waitFor();
    await page.getByRole('button', { name: 'Cancel the call' }).click();
    await page.getByText('The call was cancelled.').waitFor();
    await until(() => abandoned.length > 0, 'the server hears of it');
    expect(abandoned).toEqual(['wait']);
  });

  test('sounds and resources are shown as what they are', async () => {
    await call('older__parts');
    await result().waitFor();
    const main = page.getByRole('main');
    expect(await main.locator('audio').count()).toBe(1);
    expect(await main.locator('img').count()).toBe(1);
    expect(await main.getByRole('region', { name: 'Text of the resource' }).innerText()).toBe(
      'Of a resource',
    );
  });
});

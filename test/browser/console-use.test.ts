import type { Browser, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { openBrowser } from '../support/browser.js';
import { ensureConsole, openConsole, type OpenConsole } from '../support/console.js';
import { until } from '../support/http/until.js';
import { startUpstream, type ScriptedUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HOSTILE = {
  markup: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  turned: 'safe\u202Egnp.exe\u0007\u001b[31m',
  long: 'x'.repeat(10_000),
};
const echo = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: {} } };
const SCRIPT: UpstreamScript = {
  tools: [
    echo,
    { name: 'slow', inputSchema: { type: 'object', properties: {} } },
    {
      name: 'markup',
      title: HOSTILE.markup,
      description: HOSTILE.markup,
      inputSchema: {
        type: 'object',
        properties: {
          [HOSTILE.markup]: { type: 'string', title: HOSTILE.turned, description: HOSTILE.markup },
        },
      },
    },
    { name: 'turned', description: HOSTILE.turned, inputSchema: { type: 'object', properties: {} } },
    { name: 'long', description: HOSTILE.long, inputSchema: { type: 'object', properties: {} } },
  ],
  call: (name) => {
    if (name === 'slow') return new Promise(() => undefined);
    return {
      content: [
        { type: 'text', text: HOSTILE.markup },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'image', data: 'PHN2Zz4=', mimeType: 'image/svg+xml' },
        { type: 'resource_link', uri: 'javascript:alert(1)', name: 'a script' },
        { type: 'resource_link', uri: 'data:text/html,<script>', name: HOSTILE.turned },
      ],
      structuredContent: { n: 1 },
    };
  },
};

let hub: TestHub;
let upstream: ScriptedUpstream;
let browser: Browser;
let opened: OpenConsole | undefined;

beforeAll(async () => {
  await ensureConsole();
  [upstream, browser] = await Promise.all([startUpstream(SCRIPT), openBrowser()]);
  hub = await startTestHub({
    config: {
      connectors: {
        remote: { name: `Remote ${HOSTILE.turned.replaceAll(/\p{Cc}/gu, '')}`, url: upstream.url },
      },
    },
  });
  await waitForSync(hub, 'remote');
});
afterAll(async () => {
  await opened?.close();
  await browser?.close();
  await hub?.close();
  await upstream?.close();
});

/** A page of the owner's one browser, without what was complained of before. */
async function open(path: string): Promise<Page> {
  opened ??= await openConsole(browser, hub);
  await opened.page.goto(path);
  opened.complaints.length = 0;
  return opened.page;
}

describe('sync', () => {
  test('tells what was discovered and what is different, and what failed', async () => {
    const page = await open('/connectors/remote');
    upstream.script = { ...SCRIPT, tools: [...(SCRIPT.tools ?? []), { ...echo, name: 'fresh' }] };
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByText(/Discovered 6 tools from 'Remote/).waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'Discovered' }).innerText()).toContain('fresh');
    await page.goto('/tools/remote__fresh?tab=history');
    await page.getByRole('list', { name: 'Changes' }).getByText('added').waitFor();
    await page.goto('/connectors/remote');

    upstream.script = {
      ...SCRIPT,
      intercept: (_request, response) => {
        response.writeHead(500).end();
        return true;
      },
    };
    await page.getByRole('button', { name: 'Sync' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Sync failed: ' });
    await alert.waitFor();
    expect((await alert.innerText()).length).toBeGreaterThan('Sync failed: '.length + 5);
    upstream.script = SCRIPT;
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByText(/Discovered 5 tools/).waitFor();
  });
});

describe('a tool that is not what it was', () => {
  test('is held back where somebody asked for that, and offered again when it is accepted', async () => {
    const { status } = await admin(hub, 'POST', '/connectors', {
      id: 'careful',
      url: upstream.url,
      allowPrivateNetwork: true,
    });
    expect(status).toBe(201);
    await waitForSync(hub, 'careful');
    const page = await open('/connectors/careful?tab=settings');
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('Hold tools back that change').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    upstream.script = { ...SCRIPT, tools: [{ ...echo, description: 'Sends it elsewhere.' }] };
    await page.goto('/connectors/careful');
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByText('One tool is held back').waitFor();
    await page.getByRole('button', { name: 'Accept what changed' }).click();
    await page.getByText('One tool is held back').waitFor({ state: 'detached' });
    const { body } = await admin(hub, 'GET', '/connectors/careful/tools');
    expect(body).toMatchObject({ items: [{ tool: 'echo' }], rejected: [] });
    upstream.script = SCRIPT;
    expect((await admin(hub, 'DELETE', '/connectors/careful')).status).toBe(204);
  });
});

describe('test of a connection', () => {
  test('shows each step to the upstream, and the one that fails with what to do', async () => {
    const page = await open('/connectors/remote?tab=history');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.waitFor();
    expect(await steps.getByText('works').count()).toBeGreaterThanOrEqual(4);
    expect(await steps.innerText()).toContain('5 tools');
    upstream.script = {
      ...SCRIPT,
      intercept: (_request, response) => {
        response.writeHead(404).end();
        return true;
      },
    };
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await steps.getByText('fails').waitFor();
    expect(await steps.innerText()).toContain('Look whether');
    upstream.script = SCRIPT;
  });
});

describe('playground', () => {
  test('shows each part of a result as what it is, and nothing of it becomes part of the page', async () => {
    const page = await open('/tools/remote__echo');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('region', { name: 'Text' }).allInnerTexts()).toEqual([
      HOSTILE.markup,
      '[resource_link left out: its address is a script]',
    ]);
    expect(await main.locator('img').count()).toBe(1);
    expect(await main.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(
      1,
    );
    expect(await main.getByText('image/svg+xml that cannot be shown').count()).toBe(1);
    expect(await main.getByRole('region', { name: 'Address of the resource' }).innerText()).toBe(
      'data:text/html,<script>',
    );
    expect(await page.locator('[href^="javascript"], [href^="data"]').count()).toBe(0);
    expect(await page.title()).not.toBe('owned');
    expect(opened?.complaints).toEqual([]);
  });

  test('a call can be taken back', async () => {
    const page = await open('/tools/remote__slow');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await until(() => upstream.methods().includes('tools/call'), 'the call reaches the upstream');
    await page.getByRole('button', { name: 'Cancel the call' }).click();
    await page.getByText('The call was cancelled.').waitFor();
    expect(await page.getByRole('button', { name: 'Call', exact: true }).isEnabled()).toBe(true);
    await page.goto('/events?outcome=cancelled');
    await page
      .getByText(/called remote__slow/)
      .first()
      .waitFor();
  });

  test('arguments as JSON, and what is wrong with them, stay beside the form', async () => {
    const page = await open('/tools/remote__echo');
    await page.getByRole('button', { name: 'As JSON' }).click();
    await page.getByLabel('Arguments as JSON').fill('{ "a": ');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText(/This is not JSON/).waitFor();
    expect(await page.getByLabel('Arguments as JSON').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Arguments as JSON').fill('{}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
  });
});

describe('policies', () => {
  test('one that cannot be read is refused with the reason; one that forbids hides a tool within a second', async () => {
    const client = await connectAgent(hub);
    const names = async (): Promise<string[]> => (await client.listTools({})).items.map(({ name }) => name);
    expect(await names()).toContain('remote__echo');
    const page = await open('/policies/new');
    await page.getByLabel('Id', { exact: true }).fill('no-echo');
    await page.getByLabel('Text (Cedar)').fill('forbid(principal');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Text (Cedar)').fill('forbid(principal, action, resource == Tool::"remote/echo");');
    await page.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText(/^Version 1,/).waitFor();
    await expect.poll(names, { timeout: 1_000, interval: 20 }).not.toContain('remote__echo');
    await client.close();

    await page.goto('/policies?agent=local&tool=remote/echo');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('no-echo/1', { exact: true }).waitFor();
    await page.goto('/policies/no-echo');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
  });
});

describe('B4.7: names and descriptions of a hostile upstream', () => {
  test.each([
    ['/connectors'],
    ['/connectors/remote'],
    ['/tools'],
    ['/tools/remote__markup?tab=definition'],
    ['/tools/remote__markup'],
    ['/tools/remote__long'],
    ['/tools/remote__turned'],
  ])('look harmless at %s', async (path) => {
    const page = await open(path);
    const main = page.getByRole('main');
    await main
      .locator('a, label')
      .filter({ hasText: /echo|remote|Call as/i })
      .first()
      .waitFor();
    expect(await main.locator('script, img, [onerror]').count()).toBe(0);
    const text = await main.innerText();
    expect(text).not.toMatch(/[\u202E\u0007\u001b]/);
    expect(text.length).toBeLessThan(8_000);
    expect(await page.title()).not.toBe('owned');
    const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(width).toBeLessThanOrEqual(0);
    expect(opened?.complaints).toEqual([]);
  });
});

test.each(['/', '/agents', '/events', '/policies', '/settings'])(
  'B4.7: nothing hostile shows at %s after its tools were called',
  async (path) => {
    const agent = await connectAgent(hub);
    for (const name of ['markup', 'turned', 'long']) await agent.callTool(`remote__${name}`, {});
    await agent.close();
    const page = await open(path);
    const main = page.getByRole('main');
    await main.getByRole('heading', { level: 1 }).waitFor();
    if (path === '/events') await main.getByText('remote__markup').first().waitFor();
    expect(await main.locator('script, img, [onerror]').count()).toBe(0);
    expect(await main.innerText()).not.toMatch(/[\u202E\u0007\u001b]/);
    expect(await page.title()).not.toBe('owned');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(opened?.complaints).toEqual([]);
  },
);

describe('B4.4: roles', () => {
  test('a viewer is not offered what it may not do, and is refused it anyway', async () => {
    const added = await admin(hub, 'POST', '/admins', { id: 'looker', role: 'viewer' });
    const looker = await openConsole(browser, hub, { secret: String(added.body['token']) });
    const { page } = looker;
    await page.goto('/connectors');
    await page.getByRole('main').getByText('Healthy').or(page.getByText('Not checked yet')).first().waitFor();
    await page.getByText('viewer', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Sync/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Add a connector' }).count()).toBe(0);
    await page.goto('/connectors/new');
    await page.getByRole('textbox', { name: 'Address' }).fill('https://mcp.example.com/mcp');
    await page.getByRole('button', { name: 'Add and sync' }).click();
    await page.getByRole('alert').filter({ hasText: /role/ }).waitFor();
    await looker.close();
  });

  test('signing out ends the session, and every page asks to sign in again', async () => {
    const page = await open('/agents');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin token or agent key').waitFor();
    await page.goto('/agents/local');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/sign-in?next=%2Fagents%2Flocal');
    await page.getByLabel('Admin token or agent key').fill(hub.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Local' }).waitFor();
  });
});

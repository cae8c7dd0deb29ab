import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectAgent } from '../support/agent-client.js';
import { openBrowser } from '../support/browser.js';
import { expectReadable } from '../support/expect-readable.js';
import { ALICE_KEY, BOB_KEY, startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import type { Closable } from '../support/resources.js';

/** A person in a real browser, in front of both kinds of sign-in: a program at the hub, and the hub at a service. */

const CLIENT_NAME = 'Editor <b>of</b> Alice';
const INFO = { name: 'editor', version: '1' };

const open: Closable[] = [];
let given: AccountHub;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Whatever the browser complained about. */
let complaints: string[];

beforeAll(async () => {
  const keep = <Resource extends Closable>(resource: Resource): Resource => {
    open.push(resource);
    return resource;
  };
  [given, browser] = await Promise.all([
    startAccountHub(keep, { credentialMode: 'per_agent' }),
    openBrowser(),
  ]);
  // So that there is something to call.
  given.provider.person = 'bob';
  const { status } = await given.connect({ agent: 'bob' });
  if (status !== 200) throw new Error(`bob was not connected: ${status}`);
  given.provider.person = 'alice';
});
afterAll(async () => {
  await browser?.close();
  for (const resource of open.toReversed()) await resource.close();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 480, height: 800 } });
  page = await context.newPage();
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
});
afterEach(() => context?.close());

/** A click does not wait for the page that it leads to. */
const titled = (name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function signIn(key: string): Promise<void> {
  await titled('Sign in');
  await page.getByLabel('Admin token or agent key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

interface Program extends Closable {
  readonly provider: OAuthClientProvider;
  readonly host: string;
  /** Where it wants the browser to go. */
  readonly address: () => string;
  /** What the browser brought back. */
  readonly answers: readonly URLSearchParams[];
}

/** What a program on the person's machine has: a loopback address, and a memory. */
async function startProgram(): Promise<Program> {
  const answers: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') answers.push(url.searchParams);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back in the editor</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUrl = `http://${host}/callback`;
  const kept: { client?: never; tokens?: never; verifier: string; address: string } = {
    verifier: '',
    address: '',
  };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: CLIENT_NAME, redirect_uris: [redirectUrl] },
    state: () => 'state-of-the-editor',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client as never),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens as never),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    redirectToAuthorization: (url) => void (kept.address = url.href),
  };
  return {
    provider,
    host,
    address: () => kept.address,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first attempt of a program that knows nothing but the address of the hub. */
async function begin(program: Program): Promise<StreamableHTTPClientTransport> {
  const transport = new StreamableHTTPClientTransport(new URL(`${given.hub.url}/mcp`), {
    authProvider: program.provider,
  });
  await expect(new Client(INFO).connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  return transport;
}

test('a program is allowed: the person sees who asks, for whom and where the answer goes', async () => {
  const program = await startProgram();
  const client = new Client(INFO);
  try {
    const first = await begin(program);
    await page.goto(program.address());
    await signIn(BOB_KEY);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    const shown = await page.locator('main').innerText();
    for (const text of [CLIENT_NAME, program.host, 'agent bob', 'The program chose this name itself'])
      expect(shown).toContain(text);
    expect(await page.locator('main b').count()).toBe(0);
    await expectReadable(page);

    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`http://${program.host}/callback?*`);
    await titled('Back in the editor');
    const [answer] = program.answers;
    expect(answer?.get('state')).toBe('state-of-the-editor');
    expect(answer?.get('iss')).toBe(given.hub.url);
    await first.finishAuth(answer?.get('code') ?? '');
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${given.hub.url}/mcp`), { authProvider: program.provider }),
    );
    const served = given.upstream.served.length;
    expect(await client.callTool({ name: 'tracker__look' })).not.toHaveProperty('isError');
    expect(given.upstream.served.slice(served)).toEqual([{ person: 'bob', tool: 'look' }]);
    expect(complaints).toEqual([]);
  } finally {
    await client.close();
    await program.close();
  }
});

test('a program is denied: it is told so and gets nothing', async () => {
  const program = await startProgram();
  try {
    await begin(program);
    await page.goto(program.address());
    await signIn(BOB_KEY);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`http://${program.host}/callback?*`);
    const [answer] = program.answers;
    expect(answer?.get('error')).toBe('access_denied');
    expect(answer?.get('state')).toBe('state-of-the-editor');
    expect(answer?.has('code')).toBe(false);
    expect(complaints).toEqual([]);
  } finally {
    await program.close();
  }
});

test('an agent without an account: its person signs in at the service and the call is made', async () => {
  let done: (() => void) | undefined;
  const visited = new Promise<void>((resolve) => (done = resolve));
  let asked: ((url: string) => void) | undefined;
  const address = new Promise<string>((resolve) => (asked = resolve));
  const client = await connectAgent(given.hub, {
    key: ALICE_KEY,
    capabilities: { elicitation: { url: {} } },
    handlers: {
      elicitation: async ({ params = {} }) => {
        if (typeof params['url'] === 'string') asked?.(params['url']);
        await visited;
        return { action: 'accept' };
      },
    },
  });
  try {
    const call = client.callTool('tracker__look');
    await page.goto(await address);
    await signIn(ALICE_KEY);
    await titled('Connect Tracker');
    expect(await page.locator('main').innerText()).toContain('as agent alice');
    await expectReadable(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await titled('Sign in to Tracker');
    expect(await page.locator('main').innerText()).toContain(new URL(given.provider.issuer).host);
    await page.getByRole('link', { name: 'Go there' }).click();
    await page.waitForURL(`${given.hub.url}/oauth/callback?*`);
    await titled('Connected');
    expect(await page.getByRole('status').innerText()).toBe('Tracker is connected for agent alice.');
    await expectReadable(page);
    done?.();
    expect(await call).not.toHaveProperty('isError');
    expect(given.upstream.served.at(-1)).toEqual({ person: 'alice', tool: 'look' });
    const { body } = await given.ask('GET', '/connectors/tracker/accounts');
    expect(body['items']).toContainEqual(expect.objectContaining({ owner: 'alice', state: 'valid' }));

    await page.reload();
    expect(await page.locator('main').innerText()).not.toContain('is connected');
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  } finally {
    done?.();
    await client.close();
  }
});

test('the page of one agent is nothing for another', async () => {
  given.provider.records.removeAll('AccessToken');
  given.provider.records.removeAll('RefreshToken');
  const client = await connectAgent(given.hub, { key: ALICE_KEY });
  try {
    const told = JSON.stringify(await client.callTool('tracker__look'));
    const url = /http:\S+\/oauth\/connect\/[\w-]{43}/.exec(told)?.[0] ?? '';
    await page.goto(url);
    await signIn(BOB_KEY);
    await page.locator('main').filter({ hasText: 'This link is for agent alice' }).waitFor();
    expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0);
  } finally {
    await client.close();
  }
});

describe('B6.2: a sign-in that an admin began by a program, in a browser where nobody has signed in', () => {
  const ACCOUNTS = '/connectors/tracker/accounts';
  const accounts = async (): Promise<unknown> => (await given.ask('GET', ACCOUNTS)).body['items'];

  /** The person is somebody at the service already, so nothing but a look at the address is needed. */
  async function follow(account: string): Promise<void> {
    const { body } = await given.ask('POST', '/connectors/tracker/connect', { agent: 'bob', account });
    await page.goto(String(body['authorizationUrl']));
  }

  test('is finished by that admin, who signs in first', async () => {
    await follow('own');
    await signIn(given.hub.adminToken);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(await accounts()).toContainEqual(expect.objectContaining({ owner: 'bob', account: 'own' }));
    expect(complaints).toEqual([]);
  });

  test('is nothing for anybody else, and nothing is stored', async () => {
    const before = { accounts: await accounts(), calls: given.provider.tokenCalls().length };
    await follow('lured');
    await signIn(ALICE_KEY);
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect({ accounts: await accounts(), calls: given.provider.tokenCalls().length }).toEqual(before);
  });
});

test('a sign-in that is refused at the service leads back to where it began', async () => {
  given.provider.agrees = false;
  try {
    await page.goto(`${given.hub.url}/sign-in?next=/connectors/tracker`);
    await signIn(given.hub.adminToken);
    await page.getByRole('tab', { name: 'Credentials' }).click();
    await page.getByRole('button', { name: 'Connect again' }).first().click();
    await page.getByRole('alert').filter({ hasText: 'access was denied' }).waitFor();
    await page.getByRole('link', { name: 'Go back' }).click();
    await page.getByRole('tab', { name: 'Credentials', selected: true }).waitFor();
    expect(page.url()).toBe(`${given.hub.url}/connectors/tracker?tab=credentials`);
  } finally {
    given.provider.agrees = true;
  }
});

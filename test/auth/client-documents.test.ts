import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Agent, BrowserSession } from '../../src/agents/index.js';
import {
  createAuthorizationSite,
  createClientNetworkOf,
  createOwnResources,
  createSigningKeys,
} from '../../src/edge/index.js';
import { silentLogger, systemClock, toAgentId } from '../../src/kernel/index.js';
import { createClientApprovals } from '../../src/operations/index.js';
import { createGuardedFetch } from '../../src/upstreams/index.js';
import { createMemoryTickets } from '../support/memory-tickets.js';
import {
  answerConsent,
  claimsOf,
  exchange,
  openConsent,
  REDIRECT,
  startAuthorization,
} from '../support/oauth-client.js';
import { FormBrowser } from '../support/sign-in.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Clients that are known by the address of their description. */

const CLIENT = 'https://app.example/client.json';
const DOCUMENT = { client_id: CLIENT, client_name: 'Document client', redirect_uris: [REDIRECT] };
const LOCAL: Agent = {
  id: toAgentId('local'),
  name: 'Local',
  enabled: true,
  tags: [],
  source: 'built_in',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};
const SESSION: BrowserSession = {
  id: 's',
  principal: { kind: 'agent', id: LOCAL.id },
  csrf: 'c'.repeat(43),
  startedAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The authorization server alone, with the web in the place of its `fetch`. */
async function serve(web: (url: string) => Promise<Response>) {
  const tickets = createMemoryTickets();
  const asked: string[] = [];
  let url = '';
  const secrets = { require: (name: string) => Promise.resolve(Buffer.alloc(32, name)) };
  const site = createAuthorizationSite({
    issuer: () => url,
    scopes: ['mcp'],
    registration: true,
    maxClients: 10,
    clientNetworkOf: createClientNetworkOf([]),
    signingKeys: createSigningKeys({ secrets, clock: systemClock }),
    secrets,
    tickets,
    agents: { find: () => Promise.resolve(LOCAL), list: () => Promise.resolve([LOCAL]) },
    resources: createOwnResources(() => url),
    fetch(address) {
      asked.push(address);
      return web(address);
    },
    gate: {
      find: () => Promise.resolve(SESSION),
      signInUrl: () => '/sign-in',
      csrfField: ({ csrf }: BrowserSession) => `<input name="csrf" value="${csrf}" />` as never,
      checkCsrf: () => true,
      requireSameOrigin: () => {},
    } as never,
    approvals: createClientApprovals({
      tickets,
      authenticator: { forget: () => {} },
      events: { append: () => {} },
      clock: systemClock,
    }),
    onRevoked: () => {},
    clock: systemClock,
    logger: silentLogger,
  });
  const server: Server = createServer((request, response) => site.listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url, asked, tickets };
}

const answering = (document: unknown) => () => Promise.resolve(Response.json(document));

describe('a client-id metadata document', () => {
  test('makes a client of whoever publishes it', async () => {
    const hub = await serve(answering(DOCUMENT));
    const browser = new FormBrowser(hub);
    const redirectUri = 'http://127.0.0.1:4321/callback';
    const started = startAuthorization(hub, { clientId: CLIENT, redirectUri });
    const { page } = await openConsent(hub, browser, started);
    expect(page).toContain('Document client');
    expect(page).toContain(CLIENT);
    const callback = await answerConsent(hub, browser, page);
    const { body } = await exchange(hub, started, callback);
    expect(claimsOf(String(body['access_token']))).toMatchObject({
      client_id: CLIENT,
      aud: `${hub.url}/mcp`,
    });
    expect(hub.asked).toEqual([CLIENT]);
    // Its id is no secret and its answer goes to whatever listens here, so it is asked about each time.
    const again = await openConsent(hub, browser, startAuthorization(hub, { clientId: CLIENT }));
    expect(again.page).toContain('name="decision"');
  });

  test('with an address of its own is remembered', async () => {
    const redirectUri = 'https://app.example/callback';
    const hub = await serve(answering({ ...DOCUMENT, redirect_uris: [redirectUri] }));
    const browser = new FormBrowser(hub);
    const wish = { clientId: CLIENT, redirectUri };
    const { page } = await openConsent(hub, browser, startAuthorization(hub, wish));
    await answerConsent(hub, browser, page);
    const again = await openConsent(hub, browser, startAuthorization(hub, wish));
    expect(again.response.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?code=/);
  });

  test.each<readonly [string, unknown]>([
    ['for another client', { ...DOCUMENT, client_id: 'https://app.example/other.json' }],
    ['with a secret', { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' }],
    ['with a dangerous redirect', { ...DOCUMENT, redirect_uris: ['javascript:alert(1)//'] }],
    ['with http to another machine', { ...DOCUMENT, redirect_uris: ['http://app.example/cb'] }],
    ['that is a list', [DOCUMENT]],
    ['that is nothing', null],
  ])('%s is refused', async (_what, document) => {
    const hub = await serve(answering(document));
    const { response } = await openConsent(
      hub,
      new FormBrowser(hub),
      startAuthorization(hub, { clientId: CLIENT }),
    );
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each<readonly [string, () => Promise<Response>]>([
    ['redirects', () => Promise.resolve(new Response(null, { status: 302, headers: { location: '/' } }))],
    ['is not found', () => Promise.resolve(new Response('', { status: 404 }))],
    ['cannot be reached', () => Promise.reject(new Error('down'))],
    ['is no JSON', () => Promise.resolve(new Response('<html>'))],
  ])('O-18: one that %s is refused', async (_what, web) => {
    const hub = await serve(web);
    const { response } = await openConsent(
      hub,
      new FormBrowser(hub),
      startAuthorization(hub, { clientId: CLIENT }),
    );
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
});

describe('what strangers have the authorization server do', () => {
  test('O-16 G20: other servers are asked so many times for one network, whichever endpoint is used', async () => {
    const hub = await serve(() => Promise.resolve(new Response('', { status: 404 })));
    const answers = new Set<string>();
    for (let number = 0; number < 130; number++) {
      const client_id = `https://app.example/${number}.json`;
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id });
      const path = number % 2 === 0 ? '/oauth/token' : '/oauth/revoke';
      const answer = await fetch(hub.url + path, { method: 'POST', body });
      answers.add(`${answer.status} ${((await answer.json()) as { error: string }).error}`);
    }
    expect(hub.asked).toHaveLength(120);
    expect([...answers]).toEqual(['400 invalid_client']);
  });

  test('O-16: so many sign-ins may be begun from one network, and then no more is written down', async () => {
    const hub = await serve(answering(DOCUMENT));
    const begin = () =>
      fetch(hub.url + startAuthorization(hub, { clientId: CLIENT }).path, { redirect: 'manual' });
    for (let number = 0; number < 600; number++) expect((await begin()).status).toBe(303);
    const kept = await hub.tickets.count('oauth-server:Interaction');
    const refused = await begin();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const form = new URLSearchParams(startAuthorization(hub, { clientId: CLIENT }).path.split('?')[1]);
    const posted = await fetch(`${hub.url}/oauth/authorize`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    expect(posted.status).toBe(429);
    expect(await hub.tickets.count('oauth-server:Interaction')).toBe(kept);
  }, 30_000);
});

describe('O-18: through the composed hub', () => {
  let hub: TestHub | undefined;
  afterEach(() => hub?.close());

  test('nothing in a private network is asked for a description, and nothing that is not encrypted', async () => {
    const asked: string[] = [];
    const canary = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => canary.close(resolve)));
    const { port } = canary.address() as AddressInfo;
    hub = await startTestHub({ config: {} });
    for (const clientId of [
      `https://127.0.0.1:${port}/client.json`,
      `https://localhost:${port}/client.json`,
      `http://127.0.0.1:${port}/client.json`,
      'https://169.254.169.254/latest/meta-data',
      `https://user:pass@127.0.0.1:${port}/client.json`,
    ]) {
      const { response } = await openConsent(
        hub,
        new FormBrowser(hub),
        startAuthorization(hub, { clientId }),
      );
      expect([response.status, response.headers.get('location')], clientId).toEqual([400, null]);
    }
    expect(asked).toEqual([]);
  });

  test('a description is read up to a size', async () => {
    const large = createServer((_request, response) => response.end(`{"x":"${'x'.repeat(1_048_576)}"}`));
    await new Promise<void>((resolve) => large.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => large.close(resolve)));
    const url = new URL(`http://127.0.0.1:${(large.address() as AddressInfo).port}/`);
    const fetch = createGuardedFetch({ privateOrigins: [url], maxBytes: 64 * 1024 });
    await expect(fetch(url)).rejects.toMatchObject({ code: 'upstream_too_large' });
  });
});

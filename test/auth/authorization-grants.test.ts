import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { freePort } from '../support/free-port.js';
import { eventsOf } from '../support/hub-events.js';
import {
  answerConsent,
  authorize,
  callWith,
  exchange,
  openConsent,
  REDIRECT,
  refresh,
  register,
  registeredClient,
  signIn,
  startAuthorization,
} from '../support/oauth-client.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const CI_KEY = 'ci-key-0123456789abcdef';
const CONFIG = {
  connectors: {
    sample: { command: process.execPath, args: [join(process.cwd(), 'examples/sample-server.mjs')] },
  },
  toolsets: { small: { tools: ['sample__echo'] } },
  agents: { ci: { name: '<b>CI</b>', keys: [CI_KEY] } },
  auth: { server: { scopes: ['mcp', 'extra'] } },
};

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ config: CONFIG });
  await waitForSync(hub, 'sample');
});
afterAll(() => hub?.close());

describe('S62: a request that is not proper', () => {
  test.each<readonly [string, Record<string, string | undefined>, string | number]>([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['for somebody else', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for the admin API', { resource: 'http://127.0.0.1/api/v1' }, 'invalid_target'],
    ['of an unknown client', { client_id: 'nobody' }, 400],
    ['to another address', { redirect_uri: 'https://evil.example/callback' }, 400],
    ['to a longer path', { redirect_uri: `${REDIRECT}/more` }, 400],
    ['to another loopback name', { redirect_uri: 'http://localhost:7777/callback' }, 400],
  ])('%s is refused', async (_what, change, expected) => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const { response, page } = await openConsent(hub, browser, startAuthorization(hub, { clientId, change }));
    if (typeof expected === 'number') {
      expect([response.status, response.headers.get('location')]).toEqual([expected, null]);
      expect(page).not.toContain('evil.example');
    } else {
      const location = new URL(response.headers.get('location') ?? 'http://none.example');
      expect(location.href.startsWith(REDIRECT)).toBe(true);
      expect(
        location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error'),
      ).toBe(expected);
    }
  });

  test('a program on this machine may listen on any port', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const redirectUri = 'http://127.0.0.1:5555/callback';
    expect(await authorize(hub, browser, { clientId, redirectUri })).toHaveProperty('access_token');
  });

  test.each<readonly [string, Record<string, string>]>([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:9999/callback' }],
    ['another client', { client_id: 'other' }],
  ])('a code with %s is worth nothing', async (_what, change) => {
    const browser = await signIn(hub, hub.localKey);
    const started = startAuthorization(hub, { clientId: await registeredClient(hub) });
    const { page } = await openConsent(hub, browser, started);
    const callback = await answerConsent(hub, browser, page);
    const { status, body } = await exchange(hub, started, callback, change);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toHaveProperty('access_token');
  });

  test('a code counts once, and its second use ends what came of the first', async () => {
    const browser = await signIn(hub, hub.localKey);
    const started = startAuthorization(hub, { clientId: await registeredClient(hub) });
    const { page } = await openConsent(hub, browser, started);
    const callback = await answerConsent(hub, browser, page);
    const { body } = await exchange(hub, started, callback);
    expect((await callWith(hub, String(body['access_token']))).status).toBe(200);
    expect(await exchange(hub, started, callback)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect((await callWith(hub, String(body['access_token']))).status).toBe(401);
    expect((await refresh(hub, started.clientId, String(body['refresh_token']))).status).toBe(400);
  });
});

describe('O-17: registration', () => {
  test.each<readonly [string, Record<string, unknown>]>([
    ['a fragment', { redirect_uris: ['https://app.example/cb#x'] }],
    ['a wildcard', { redirect_uris: ['https://*.app.example/cb'] }],
    ['javascript:', { redirect_uris: ['javascript:alert(1)//'] }],
    ['data:', { redirect_uris: ['data:text/html,x'] }],
    ['http to another machine', { redirect_uris: ['http://app.example/cb'] }],
    [
      'http to another machine, as a web client',
      { application_type: 'web', redirect_uris: ['http://a.example/'] },
    ],
    ['a user in the address', { redirect_uris: ['https://user@app.example/cb'] }],
    ['1000 addresses', { redirect_uris: Array.from({ length: 1000 }, (_, i) => `https://a.example/${i}`) }],
    ['11 addresses', { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) }],
    ['no address', { redirect_uris: [] }],
    ['what is no address', { redirect_uris: [5] }],
    ['a long name', { client_name: 'x'.repeat(201) }],
    ['control characters in its name', { client_name: 'a\u0007b' }],
    ['a grant we do not have', { grant_types: ['client_credentials'] }],
    ['a response we do not have', { response_types: ['token'] }],
  ])('%s is refused', async (_what, metadata) => {
    const { status, body } = await register(hub, metadata);
    expect(status).toBe(400);
    expect(body['error']).toMatch(/^invalid_(?:redirect_uri|client_metadata)$/);
  });

  test('a name of a megabyte is not even read', async () => {
    expect((await register(hub, { client_name: 'x'.repeat(1_048_576) })).status).toBe(413);
  });

  test('ten addresses, private schemes and https are taken; a secret is not given', async () => {
    const uris = [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'com.example.app:/oauth',
      'http://localhost/callback',
      'http://[::1]:3000/',
      ...Array.from({ length: 6 }, (_, i) => `https://app.example/${i}`),
    ];
    const { status, body } = await register(hub, {
      redirect_uris: uris,
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'anything',
      logo_uri: 'https://app.example/logo.png',
    });
    expect([status, body['redirect_uris'], body['token_endpoint_auth_method']]).toEqual([201, uris, 'none']);
    expect(body).not.toHaveProperty('client_secret');
    expect(await eventsOf(hub, 'client.registered')).toContainEqual({
      type: 'client.registered',
      client: body['client_id'],
      name: 'Test client',
    });
  });

  test('is for pages of every origin', async () => {
    const origin = 'https://elsewhere.example';
    const asked = await fetch(`${hub.url}/oauth/register`, { method: 'OPTIONS', headers: { origin } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect((await register(hub, {}, { origin })).status).toBe(201);
  });
});

describe('refresh tokens', () => {
  test('are replaced with each use, and the second use of one ends the whole family', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const first = await authorize(hub, browser, { clientId });
    const second = await refresh(hub, clientId, first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body['refresh_token']).not.toBe(first.refresh_token);
    expect((await callWith(hub, String(second.body['access_token']))).status).toBe(200);
    const reused = await refresh(hub, clientId, first.refresh_token);
    expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await refresh(hub, clientId, String(second.body['refresh_token']))).status).toBe(400);
    expect((await callWith(hub, String(second.body['access_token']))).status).toBe(401);
  });

  test('used by two at once lead to one token at most', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const { refresh_token: token } = await authorize(hub, browser, { clientId });
    const answers = await Promise.all([1, 2, 3].map(() => refresh(hub, clientId, token)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test('do not serve another client, nor another resource', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const { refresh_token: token } = await authorize(hub, browser, { clientId });
    expect((await refresh(hub, await registeredClient(hub), token)).body['error']).toBe('invalid_grant');
    expect((await refresh(hub, clientId, token, { resource: 'https://a.example/' })).body['error']).toBe(
      'invalid_target',
    );
    // Neither of them cost whoever it belongs to their sign-in.
    expect((await refresh(hub, clientId, token, { resource: `${hub.url}/mcp` })).status).toBe(200);
  });
});

describe('taking it back', () => {
  const setUp = async (secret: string) => {
    const clientId = await registeredClient(hub);
    const tokens = await authorize(hub, await signIn(hub, secret), { clientId });
    expect((await callWith(hub, tokens.access_token)).status).toBe(200);
    return { clientId, ...tokens };
  };
  const expectEnded = async (given: Awaited<ReturnType<typeof setUp>>) => {
    expect((await callWith(hub, given.access_token)).status).toBe(401);
    expect((await refresh(hub, given.clientId, given.refresh_token)).status).toBe(400);
  };

  test('by the client', async () => {
    const given = await setUp(hub.localKey);
    const body = new URLSearchParams({ token: given.refresh_token ?? '', client_id: given.clientId });
    expect((await fetch(`${hub.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    await expectEnded(given);
  });

  test('by an admin, who sees what there is', async () => {
    const given = await setUp(hub.localKey);
    const { body } = await admin(hub, 'GET', '/clients?limit=200');
    const items = body['items'] as readonly Record<string, unknown>[];
    const client = items.find((one) => one['clientId'] === given.clientId);
    expect(client).toMatchObject({
      name: 'Test client',
      agent: 'local',
      scopes: ['mcp'],
      approvedBy: 'agent local',
    });
    expect((await admin(hub, 'DELETE', `/clients/${String(client?.['id'])}`)).status).toBe(204);
    expect((await admin(hub, 'DELETE', `/clients/${String(client?.['id'])}`)).status).toBe(404);
    await expectEnded(given);
    const events = await eventsOf(hub, 'client.revoked');
    expect(events).toContainEqual({
      type: 'client.revoked',
      client: given.clientId,
      name: 'Test client',
      agent: 'local',
    });
    const consent = await openConsent(
      hub,
      await signIn(hub, hub.localKey),
      startAuthorization(hub, { clientId: given.clientId }),
    );
    expect(consent.page).toContain('name="decision"');
  });

  test.each<readonly [string, (key: string) => Promise<unknown>]>([
    ['removed', () => admin(hub, 'DELETE', '/agents/guest')],
    ['switched off', () => admin(hub, 'PATCH', '/agents/guest', { enabled: false })],
    ['without its key', (key) => admin(hub, 'DELETE', `/agents/guest/keys/${key}`)],
  ])('by an agent being %s', async (_what, act) => {
    await admin(hub, 'DELETE', '/agents/guest');
    await admin(hub, 'POST', '/agents', { id: 'guest' });
    const { body } = await admin(hub, 'POST', '/agents/guest/keys', {});
    const given = await setUp(String(body['key']));
    await act(String(body['id']));
    await expectEnded(given);
  });
});

/** Both hubs must have one address, because tokens name it. */

describe('a hub that is started again', () => {
  test('knows its clients, grants and keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-oauth-'));
    try {
      const port = await freePort();
      const config = { ...CONFIG, server: { publicUrl: `http://127.0.0.1:${port}` } };
      const before = await startTestHub({ config, folder, port });
      const clientId = await registeredClient(before);
      const tokens = await authorize(before, await signIn(before, before.localKey), { clientId });
      await before.close();
      const after = await startTestHub({ config, folder, port });
      try {
        expect((await callWith(after, tokens.access_token)).status).toBe(200);
        expect((await refresh(after, clientId, tokens.refresh_token)).status).toBe(200);
      } finally {
        await after.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

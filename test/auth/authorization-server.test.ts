import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerConsent,
  authorize,
  callWith,
  claimsOf,
  exchange,
  follow,
  openConsent,
  REDIRECT,
  registeredClient,
  signIn,
  startAuthorization,
  toAnswer,
} from '../support/oauth-client.js';
import { FormBrowser } from '../support/sign-in.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const CI_KEY = 'ci-key-0123456789abcdef';
const VIEWER = 'viewer-token-0123456789abcdef';
const CONFIG = {
  connectors: {
    sample: { command: process.execPath, args: [join(process.cwd(), 'examples/sample-server.mjs')] },
  },
  toolsets: { small: { tools: ['sample__echo'] } },
  agents: { ci: { name: '<b>CI</b>', keys: [CI_KEY] } },
  admin: { accounts: { vera: { role: 'viewer', token: VIEWER } } },
  auth: { server: { scopes: ['mcp', 'extra'] } },
};

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ config: CONFIG });
  await waitForSync(hub, 'sample');
});
afterAll(() => hub?.close());

const json = async (path: string, init?: RequestInit) => toAnswer(await fetch(hub.url + path, init));

describe('metadata', () => {
  test('says where everything is and what is possible', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const { status, body } = await json(`/.well-known/${name}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer: hub.url,
        authorization_endpoint: `${hub.url}/oauth/authorize`,
        token_endpoint: `${hub.url}/oauth/token`,
        registration_endpoint: `${hub.url}/oauth/register`,
        revocation_endpoint: `${hub.url}/oauth/revoke`,
        jwks_uri: `${hub.url}/oauth/jwks`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
      expect(body['scopes_supported']).toEqual(expect.arrayContaining(['mcp', 'extra']));
    }
  });

  test('is for pages of every origin, under our names only', async () => {
    const shared = await fetch(`${hub.url}/.well-known/oauth-authorization-server`, {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([shared.status, shared.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://elsewhere.example',
    ]);
    const forwarded = await json('/.well-known/oauth-authorization-server', {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(JSON.stringify(forwarded.body)).not.toContain('evil.example');
  });

  test('keys show nothing private, and three of them: before, now and next', async () => {
    const { body } = await json('/oauth/jwks');
    const keys = body['keys'] as Record<string, unknown>[];
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
      expect(key).not.toHaveProperty('d');
    }
  });

  test('S56: of the resource names us as its authorization server', async () => {
    for (const [path, resource] of [
      ['', '/mcp'],
      ['/mcp', '/mcp'],
      ['/connectors/sample/mcp', '/connectors/sample/mcp'],
      ['/toolsets/small/mcp', '/toolsets/small/mcp'],
      // Without a key nobody learns which there are.
      ['/connectors/nothing/mcp', '/connectors/nothing/mcp'],
      ['/toolsets/nothing/mcp', '/toolsets/nothing/mcp'],
    ] as const) {
      const response = await fetch(`${hub.url}/.well-known/oauth-protected-resource${path}`, {
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({
        resource: hub.url + resource,
        authorization_servers: [hub.url],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
        resource_name: 'Crosspoint',
      });
    }
    for (const path of ['/connectors/no thing/mcp', '/connectors/x', '/elsewhere', '/mcp/tools/call'])
      expect((await json(`/.well-known/oauth-protected-resource${path}`)).status, path).toBe(404);
  });

  test('speaks of the name by which this machine was addressed', async () => {
    const { port } = new URL(hub.url);
    const { body } = await json('/.well-known/oauth-protected-resource/mcp');
    expect(body['resource']).toBe(`http://127.0.0.1:${port}/mcp`);
    const local = await fetch(`http://localhost:${port}/.well-known/oauth-protected-resource/mcp`).catch(
      () => undefined,
    );
    if (local !== undefined)
      expect(await local.json()).toMatchObject({ resource: `http://localhost:${port}/mcp` });
  });
});

describe('the whole way', () => {
  test('S57: from a 401 to a call', async () => {
    const bare = await callWith(hub, undefined);
    expect([bare.status, bare.challenge]).toEqual([
      401,
      `Bearer realm="crosspoint", scope="mcp", resource_metadata="${hub.url}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const tokens = await authorize(hub, browser, { clientId });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'mcp' });
    const claims = claimsOf(tokens.access_token);
    expect(claims).toMatchObject({
      iss: hub.url,
      aud: `${hub.url}/mcp`,
      sub: 'local',
      client_id: clientId,
      scope: 'mcp',
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600);
    const called = await callWith(hub, tokens.access_token);
    expect(called.status).toBe(200);
    expect(called.body).toContain('sample__echo');
    expect(await callWith(hub, tokens.access_token, '/connectors/sample/mcp')).toMatchObject({ status: 200 });
  });

  test('whoever is not signed in signs in first and comes back', async () => {
    const browser = new FormBrowser(hub);
    const started = startAuthorization(hub, { clientId: await registeredClient(hub) });
    const { response, page } = await openConsent(hub, browser, started);
    expect(response.status).toBe(200);
    expect(page).toContain('name="secret"');
    const next = /name="next" value="([^"]+)"/.exec(page)?.[1] ?? '';
    expect(next).toMatch(/^\/oauth\/consent\/[\w-]+$/);
    const back = await browser.post('/sign-in', { secret: hub.localKey, next });
    const consent = await (await follow(hub, browser, back)).text();
    const callback = await answerConsent(hub, browser, consent);
    expect(callback.searchParams.get('state')).toBe(started.state);
    expect(callback.searchParams.get('iss')).toBe(hub.url);
    expect((await exchange(hub, started, callback)).status).toBe(200);
  });

  test('S58: a token for one connector or toolset is good there only', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    for (const path of ['/connectors/sample/mcp', '/toolsets/small/mcp']) {
      const { access_token: token } = await authorize(hub, browser, { clientId, resource: hub.url + path });
      expect((await callWith(hub, token, path)).status, path).toBe(200);
      const refused = await callWith(hub, token, '/mcp');
      expect([refused.status, refused.challenge], path).toEqual([
        401,
        expect.stringContaining('error="invalid_token"') as string,
      ]);
    }
  });

  test('a client that asks for nothing gets the first scope and our endpoint', async () => {
    const browser = await signIn(hub, hub.localKey);
    const clientId = await registeredClient(hub);
    const started = startAuthorization(hub, { clientId, change: { scope: undefined, resource: undefined } });
    const { page } = await openConsent(hub, browser, started);
    const callback = await answerConsent(hub, browser, page);
    const { body } = await exchange(hub, started, callback, { resource: '' });
    expect(claimsOf(String(body['access_token']))).toMatchObject({ scope: 'mcp', aud: `${hub.url}/mcp` });
  });

  test('a token is of no use to anybody but agents', async () => {
    const browser = await signIn(hub, hub.localKey);
    const { access_token: token } = await authorize(hub, browser, { clientId: await registeredClient(hub) });
    const asAdmin = await fetch(`${hub.url}/api/v1/agents`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(asAdmin.status).toBe(401);
    expect((await fetch(`${hub.url}/mcp?access_token=${token}`, { method: 'POST' })).status).toBe(401);
    const session = new FormBrowser(hub);
    expect((await session.post('/sign-in', { secret: token })).status).not.toBe(303);
  });
});

describe('S62: consent', () => {
  test('B6.6: names client, target, scopes and agent, as text, and cannot be framed', async () => {
    const browser = await signIn(hub, CI_KEY);
    const clientId = await registeredClient(hub, { client_name: '<script>alert(1)</script>"\'' });
    const { response, page } = await openConsent(
      hub,
      browser,
      startAuthorization(hub, { clientId, scope: 'mcp extra' }),
    );
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:7777");
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script>');
    for (const shown of [clientId, '127.0.0.1:7777', 'mcp extra', '&lt;b&gt;CI&lt;/b&gt;', '(ci)'])
      expect(page).toContain(shown);
  });

  test('denial goes to the registered address only, and no token comes of it', async () => {
    const browser = await signIn(hub, hub.localKey);
    const started = startAuthorization(hub, { clientId: await registeredClient(hub) });
    const { page } = await openConsent(hub, browser, started);
    const callback = await answerConsent(hub, browser, page, { decision: 'deny' });
    expect(callback.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({
      error: 'access_denied',
      state: started.state,
      iss: hub.url,
    });
    expect(callback.searchParams.has('code')).toBe(false);
  });

  test('is remembered for the agent and the client, and asked of every other client', async () => {
    const browser = await signIn(hub, CI_KEY);
    const clientId = await registeredClient(hub);
    await authorize(hub, browser, { clientId });
    const again = await openConsent(hub, browser, startAuthorization(hub, { clientId }));
    expect(again.response.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:7777\/callback\?code=/);
    const more = await openConsent(hub, browser, startAuthorization(hub, { clientId, scope: 'mcp extra' }));
    expect(more.page).toContain('name="decision"');
    for (const prompt of ['consent', 'login', 'login consent']) {
      const asked = await openConsent(
        hub,
        browser,
        startAuthorization(hub, { clientId, change: { prompt } }),
      );
      expect(asked.page).toContain('name="decision"');
    }
    const other = await registeredClient(hub);
    const second = await openConsent(hub, browser, startAuthorization(hub, { clientId: other }));
    expect(second.page).toContain('name="decision"');
    const elsewhere = await openConsent(
      hub,
      await signIn(hub, hub.localKey),
      startAuthorization(hub, { clientId }),
    );
    expect(elsewhere.page).toContain('name="decision"');
  });

  test('an admin chooses the agent, a viewer may not', async () => {
    const browser = await signIn(hub, hub.adminToken);
    const clientId = await registeredClient(hub);
    const started = startAuthorization(hub, { clientId });
    const { page } = await openConsent(hub, browser, started);
    expect(page).toMatch(/<option value="ci">[^<]*<\/option>\s*<option value="local">/);
    const callback = await answerConsent(hub, browser, page, { agent: 'ci' });
    const { body } = await exchange(hub, started, callback);
    expect(claimsOf(String(body['access_token']))).toMatchObject({ sub: 'ci' });
    const viewer = await openConsent(hub, await signIn(hub, VIEWER), startAuthorization(hub, { clientId }));
    expect([viewer.response.status, viewer.page.includes('name="decision"')]).toEqual([403, false]);
  });

  test.each([
    ['without its token', { csrf: '' }, {}],
    ['with the token of another session', { csrf: 'x'.repeat(43) }, {}],
    ['from another site', {}, { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'cross-site' }],
    ['for an agent that is not theirs', { agent: 'local' }, {}],
  ])('a form %s changes nothing', async (_what, fields, headers) => {
    const browser = await signIn(hub, CI_KEY);
    const { page } = await openConsent(
      hub,
      browser,
      startAuthorization(hub, { clientId: await registeredClient(hub) }),
    );
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const sent = await browser.post(action, { csrf, agent: 'ci', decision: 'allow', ...fields }, headers);
    expect([sent.status, sent.headers.get('location')]).toEqual([403, null]);
  });

  test('is for the request its address names, not for another one of this browser', async () => {
    const browser = await signIn(hub, CI_KEY);
    const open = async () =>
      openConsent(hub, browser, startAuthorization(hub, { clientId: await registeredClient(hub) }));
    const first = await open();
    const second = await open();
    const action = /action="([^"]+)"/.exec(first.page)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(first.page)?.[1] ?? '';
    expect((await browser.get(action)).status).toBe(400);
    const sent = await browser.post(action, { csrf, agent: 'ci', decision: 'allow' });
    expect([sent.status, sent.headers.get('location')]).toEqual([400, null]);
    expect((await answerConsent(hub, browser, second.page)).searchParams.has('code')).toBe(true);
  });

  test('in the browser of somebody else there is nothing to allow', async () => {
    const browser = await signIn(hub, hub.localKey);
    const { page } = await openConsent(
      hub,
      browser,
      startAuthorization(hub, { clientId: await registeredClient(hub) }),
    );
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const other = await signIn(hub, CI_KEY);
    expect((await other.get(action)).status).toBe(400);
  });
});

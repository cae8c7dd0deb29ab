import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { callWith, toAnswer } from '../support/oauth-client.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { startTokenIssuer, type TestIssuer } from '../support/token-issuer.js';

/** The hub takes access tokens that others issued. */

const SAMPLE = { command: process.execPath, args: [join(process.cwd(), 'examples/sample-server.mjs')] };
const POLICIES = `
permit(principal == Agent::"ci", action, resource);
permit(principal == Agent::"ops", action, resource);
permit(principal, action, resource) when { principal.tags.contains("guest") && resource is Tool && resource.risk == "read" };
forbid(principal, action == Action::"call", resource)
when { principal has scopes && !principal.scopes.contains("tools:write") && resource.risk != "read" };
`;

let issuer: TestIssuer;
let guests: TestIssuer;
let hub: TestHub;
beforeAll(async () => {
  [issuer, guests] = await Promise.all([startTokenIssuer(), startTokenIssuer()]);
  hub = await startTestHub({
    config: {
      connectors: { sample: SAMPLE },
      toolsets: { small: { tools: ['sample__echo'] } },
      agents: {
        ci: { keys: ['ci-key-0123456789abcdef'] },
        ops: {},
        off: { enabled: false, keys: ['off-key-0123456789abcdef'] },
      },
      admin: { accounts: { ann: { role: 'viewer', token: 'ann-token-0123456789abcdef' } } },
      policies: ['all.cedar'],
      auth: {
        issuers: [
          {
            issuer: issuer.url,
            requiredScopes: ['mcp'],
            agents: { claim: 'sub', map: { alice: 'ci', bob: 'ops' } },
          },
          {
            issuer: guests.url,
            audience: 'api://hub',
            introspection: {
              url: `${guests.url}/introspect`,
              clientId: 'hub:1',
              clientSecret: 'a secret & more',
            },
            agents: { automatic: { tags: ['guest'] } },
          },
        ],
      },
    },
    files: { 'all.cedar': POLICIES },
  });
  await waitForSync(hub, 'sample');
});
afterAll(async () => {
  await hub?.close();
  await issuer?.close();
  await guests?.close();
});

const tokenFor = (claims: Record<string, unknown> = {}) =>
  issuer.sign({ aud: `${hub.url}/mcp`, sub: 'alice', scope: 'mcp tools:write', ...claims });

describe('metadata', () => {
  test('names the issuers and the scopes that are needed', async () => {
    const { body } = await toAnswer(await fetch(`${hub.url}/.well-known/oauth-protected-resource/mcp`));
    expect(body).toMatchObject({
      resource: `${hub.url}/mcp`,
      authorization_servers: [issuer.url, guests.url],
      scopes_supported: ['mcp'],
    });
  });

  test('the hub is no authorization server where others are', async () => {
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/register'])
      expect((await fetch(hub.url + path)).status, path).toBeGreaterThanOrEqual(400);
  });
});

describe('a token', () => {
  test('of a trusted issuer lets its agent call', async () => {
    const called = await callWith(hub, await tokenFor());
    expect([called.status, called.body.includes('sample__echo')]).toEqual([200, true]);
    const before = issuer.asked.length;
    await callWith(hub, await tokenFor({ n: 2 }));
    expect(issuer.asked).toHaveLength(before);
  });

  test.each<readonly [string, string, number]>([
    ['/mcp', '/connectors/sample/mcp', 200],
    ['/connectors/sample/mcp', '/connectors/sample/mcp', 200],
    ['/connectors/sample/mcp', '/mcp', 401],
    ['/connectors/sample/mcp', '/toolsets/small/mcp', 401],
    ['/toolsets/small/mcp', '/toolsets/small/mcp', 200],
    ['/mcp', '/mcp/tools/list', 200],
    ['', '/toolsets/small/mcp', 200],
    ['/', '/mcp', 200],
    ['/api/v1', '/mcp', 401],
    ['/mcp?x=1', '/mcp', 401],
  ])('S58: for %s shown at %s: %i', async (audience, path, status) => {
    const token = await tokenFor({ aud: hub.url + audience });
    if (path !== '/mcp/tools/list') return expect((await callWith(hub, token, path)).status).toBe(status);
    const plain = await fetch(hub.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(plain.status).toBe(status);
  });

  test('for another hub is refused', async () => {
    expect((await callWith(hub, await tokenFor({ aud: 'https://other.example/mcp' }))).status).toBe(401);
  });

  test.each<readonly [string, () => Promise<string> | string]>([
    ['that ended', () => tokenFor({ exp: Math.floor(Date.now() / 1000) - 61 })],
    ['of nobody', () => tokenFor({ sub: 'mallory' })],
    ['that is none', () => 'not-a-token-0123456789'],
  ])('S57: %s is answered with a challenge that says so, at every endpoint', async (_what, make) => {
    const token = await make();
    for (const path of ['/mcp', '/connectors/sample/mcp', '/toolsets/small/mcp']) {
      expect(await callWith(hub, token, path)).toMatchObject({
        status: 401,
        challenge: `Bearer realm="crosspoint", error="invalid_token", scope="mcp", resource_metadata="${hub.url}/.well-known/oauth-protected-resource${path}"`,
      });
    }
  });

  test('S59: without a needed scope is answered 403, with all that are needed', async () => {
    const { status, challenge } = await callWith(hub, await tokenFor({ scope: 'other' }));
    expect([status, challenge]).toEqual([
      403,
      `Bearer realm="crosspoint", error="insufficient_scope", scope="mcp", resource_metadata="${hub.url}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    expect(challenge).not.toContain('offline_access');
  });

  test('S57: in the address counts for nothing', async () => {
    const token = await tokenFor();
    for (const name of ['access_token', 'token', 'authorization'])
      expect((await fetch(`${hub.url}/mcp?${name}=${token}`, { method: 'POST' })).status).toBe(401);
  });

  test.each(['Bearer', 'Bearer  ', 'Basic YTpi', 'Bearer a b', 'token abc'])(
    'S63: a header like "%s" is answered 401 invalid_request',
    async (authorization) => {
      const response = await fetch(`${hub.url}/mcp`, { method: 'POST', headers: { authorization } });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_request"') as string,
      ]);
    },
  );

  test('leaves keys as they were', async () => {
    expect((await callWith(hub, 'ci-key-0123456789abcdef')).status).toBe(200);
    expect((await callWith(hub, hub.localKey)).status).toBe(200);
  });
});

describe('S60: scopes reach the policies', () => {
  const note = async (key: string) => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key, era: 'modern' });
    return agent.request('tools/call', { name: 'sample__add_note', arguments: { text: 'x' } });
  };

  test('a token without the scope may not, one with it may, and a key is not asked', async () => {
    const refused = await note(await tokenFor({ scope: 'mcp' }));
    expect(JSON.stringify(refused.message)).not.toContain('"isError":false');
    expect(JSON.stringify(refused.message)).toMatch(/denies|Unknown tool/);
    expect((await note(await tokenFor())).message).toHaveProperty('result.content');
    expect((await note('ci-key-0123456789abcdef')).message).toHaveProperty('result.content');
  });

  test('each token of an agent counts for itself, also at the same time', async () => {
    const [weak, strong] = await Promise.all([tokenFor({ scope: 'mcp' }), tokenFor()]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => callWith(hub, index % 2 === 0 ? weak : strong)),
    );
    const seen = answers.map(({ body }) => body.includes('sample__add_note'));
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 1));
  });
});

describe('B1.6: a session', () => {
  test('belongs to its agent: the token of another is answered 404', async () => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: await tokenFor(), era: 'legacy' });
    expect((await agent.request('tools/list')).status).toBe(200);
    const renewed = `Bearer ${await tokenFor({ n: 2 })}`;
    expect((await agent.request('tools/list', {}, { authorization: renewed })).status).toBe(200);
    const other = `Bearer ${await tokenFor({ sub: 'bob' })}`;
    expect((await agent.request('tools/list', {}, { authorization: other })).status).toBe(404);
    expect((await agent.request('tools/list')).status).toBe(200);
  });
});

describe('opaque tokens', () => {
  test('are asked about, with our name and secret, and an agent is made for whoever is new', async () => {
    guests.opaque.set('guest-token-0123456789', {
      active: true,
      aud: 'api://hub',
      sub: 'visitor',
      name: 'A visitor',
      exp: Math.floor(Date.now() / 1000) + 300,
    });
    const called = await callWith(hub, 'guest-token-0123456789');
    expect(called.status).toBe(200);
    expect(called.body).toContain('sample__echo');
    expect(called.body).not.toContain('sample__add_note');
    const pair = Buffer.from('hub%3A1:a+secret+%26+more').toString('base64');
    expect(guests.asked.at(-1)).toEqual({ path: '/introspect', authorization: `Basic ${pair}` });
    const { body } = await admin(hub, 'GET', '/agents');
    const made = (body['items'] as Record<string, unknown>[]).filter(({ tags }) =>
      (tags as string[]).includes('guest'),
    );
    expect(made).toMatchObject([{ name: 'A visitor', source: 'stored' }]);
    expect(await eventsOf(hub, 'agent.added')).toMatchObject([{ agent: made[0]?.['id'] }]);
  });

  test.each([
    ['a key of an agent that is off', () => 'off-key-0123456789abcdef'],
    ["an admin's token", () => 'ann-token-0123456789abcdef'],
    ["the hub's own admin token", () => hub.adminToken],
    ['a key that was revoked', () => 'cpk_0123456789abcdef'],
  ])('are not what opens this hub: %s is shown to no issuer', async (_name, secret) => {
    expect((await callWith(hub, secret())).status).toBe(401);
    expect(guests.shown).not.toContain(secret());
    await callWith(hub, 'stranger-token-0123456789');
    expect(guests.shown).toContain('stranger-token-0123456789');
  });

  test('that are revoked end: at once when an admin acts', async () => {
    guests.opaque.set('short-token-0123456789', { active: true, aud: 'api://hub', sub: 'brief' });
    expect((await callWith(hub, 'short-token-0123456789')).status).toBe(200);
    const { body } = await admin(hub, 'GET', '/agents');
    const made = (body['items'] as Record<string, unknown>[]).find(({ name }) => name === 'brief');
    await admin(hub, 'PATCH', `/agents/${String(made?.['id'])}`, { enabled: false });
    expect((await callWith(hub, 'short-token-0123456789')).status).toBe(401);
  });
});

test('refused keys and tokens are recorded, ten of one address at most', async () => {
  for (let count = 0; count < 15; count++) await callWith(hub, `wrong-key-${count}-0123456789`);
  const refused = (await eventsOf(hub, 'auth.refused')).filter(({ surface }) => surface === 'mcp');
  expect(refused).toHaveLength(10);
  expect(JSON.stringify(refused)).not.toContain('wrong-key');
  expect(refused[0]?.reason).toMatch(/ from 127\.0\.0\.1$/);
});

describe('a hub without tokens', () => {
  let plain: TestHub | undefined;
  afterEach(() => plain?.close());

  test('says nothing of them', async () => {
    plain = await startTestHub({ config: { auth: { server: { enabled: false } } } });
    const challenge = 'Bearer realm="crosspoint"';
    expect(await callWith(plain, undefined)).toMatchObject({ status: 401, challenge });
    expect((await fetch(`${plain.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
    expect((await fetch(`${plain.url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
    expect((await fetch(`${plain.url}/.well-known/oauth-authorization-server`)).status).toBe(404);
  });
});

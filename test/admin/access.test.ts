import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ROLES, ADMIN_ROUTES, type AdminRole, type AdminRoute } from '../../src/contract/index.js';
import { createAdminAccount } from '../../src/agents/index.js';
import { Secret } from '../../src/kernel/index.js';
import { ADMIN_TOKEN, ask, openAdminHub, type AdminHub, type Asked } from '../support/admin-hub.js';
import { FILE_AGENT_KEY } from '../support/admin-hub-configuration.js';
import { expectCommonFace } from './scenario.js';

const ROUTES: readonly AdminRoute[] = Object.values(ADMIN_ROUTES).flatMap(
  (group) => Object.values(group) as AdminRoute[],
);
const named = ROUTES.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const);

/** A request that gets as far as the route, whatever it answers then. */
function requestOf({ method, path, body }: AdminRoute) {
  return {
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, 'none'),
    ...(body !== undefined && { body: {} }),
  };
}

class TestClock {
  at = 1_700_000_000_000;
  now = () => this.at;
  monotonic = () => this.at;
}

describe('who may ask', () => {
  let hub: AdminHub;
  const clock = new TestClock();
  beforeEach(async () => {
    hub = await openAdminHub({ clock });
  });
  afterEach(() => hub.close());

  test('B1.1: every route without a token is 401, and so is what does not exist', async () => {
    for (const request of [
      ...ROUTES.map(requestOf),
      { method: 'GET', path: '/none' },
      { method: 'OPTIONS', path: '/connectors' },
    ]) {
      const response = await ask(hub, { ...request, token: null });
      expect({ ...request, status: response.status }).toEqual({ ...request, status: 401 });
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
      expectCommonFace(response, await response.text());
    }
    expect(await hub.recorded()).toEqual([]);
  });

  test('B4.3: the key of an agent is no admin token on any route, and no guess either', async () => {
    for (const request of ROUTES.map(requestOf)) {
      expect((await ask(hub, { ...request, token: FILE_AGENT_KEY })).status).toBe(401);
    }
    const refusals = await hub.recorded();
    expect(refusals).toHaveLength(10);
    expect(refusals[0]?.event).toEqual({
      type: 'auth.refused',
      surface: 'admin',
      reason: 'the key of an agent instead of an admin token from 192.0.2.1',
    });
    expect((await ask(hub, { method: 'GET', path: '/status' })).status).toBe(200);
  });

  test('B4.3: the admin token is no key of an agent', async () => {
    expect(await hub.authenticator.authenticate(ADMIN_TOKEN)).toBeUndefined();
  });

  test('H-44: HEAD and OPTIONS tell nothing without a token', async () => {
    for (const method of ['HEAD', 'OPTIONS']) {
      const response = await ask(hub, { method, path: '/connectors', token: null });
      expect(response.status).toBe(401);
      if (method === 'HEAD') expect(await response.text()).toBe('');
    }
  });

  test.each([
    ['another scheme', 'Basic YWRtaW46YWRtaW4='],
    ['no scheme', ADMIN_TOKEN],
    ['two tokens', `Bearer ${ADMIN_TOKEN} ${ADMIN_TOKEN}`],
    ['a beginning of it', `Bearer ${ADMIN_TOKEN.slice(0, -1)}`],
    ['more than it', `Bearer ${ADMIN_TOKEN}x`],
    ['nothing', 'Bearer '],
    ['a very long one', `Bearer ${'x'.repeat(10_000)}`],
  ])('%s is 401', async (_name, authorization) => {
    const response = await ask(hub, {
      method: 'GET',
      path: '/status',
      token: null,
      headers: { authorization },
    });
    expect(response.status).toBe(401);
  });

  test('the scheme may be written in any case', async () => {
    expect(
      (
        await ask(hub, {
          method: 'GET',
          path: '/status',
          token: null,
          headers: { authorization: `bearer ${ADMIN_TOKEN}` },
        })
      ).status,
    ).toBe(200);
  });

  test('B4.5: after ten wrong tokens in five minutes an address has to wait', async () => {
    const attempt = (address: string, token = 'wrong-token') =>
      ask(hub, { method: 'GET', path: '/status', token, address });
    for (let round = 0; round < 10; round++) expect((await attempt('198.51.100.7')).status).toBe(401);
    const blocked = await attempt('198.51.100.7');
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get('retry-after')).toBe('300');
    expect(await blocked.json()).toMatchObject({
      error: { code: 'rate_limited', details: { retryAfterMs: 300_000 } },
    });
    expect((await attempt('198.51.100.7', ADMIN_TOKEN)).status).toBe(429);
    expect((await attempt('198.51.100.8', ADMIN_TOKEN)).status).toBe(200);
    const refusals = await hub.recorded();
    expect(refusals).toHaveLength(10);
    expect(refusals[9]).toMatchObject({
      actor: { kind: 'hub' },
      event: { type: 'auth.refused', surface: 'admin', reason: 'a wrong admin token from 198.51.100.7' },
    });
    clock.at += 300_001;
    expect((await attempt('198.51.100.7', ADMIN_TOKEN)).status).toBe(200);
  });

  test('B4.5: an IPv6 network counts as one address, whatever a header claims', async () => {
    for (let round = 0; round < 10; round++) {
      await ask(hub, {
        method: 'GET',
        path: '/status',
        token: 'wrong',
        address: `2001:db8::${round}`,
        headers: { 'x-forwarded-for': `10.0.0.${round}` },
      });
    }
    expect(
      (await ask(hub, { method: 'GET', path: '/status', token: 'wrong', address: '2001:db8::ffff' })).status,
    ).toBe(429);
    expect((await ask(hub, { method: 'GET', path: '/status', address: '2001:db8:0:1::1' })).status).toBe(200);
  });
});

/** Everybody who could ask, and what they show. */
type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'agent key' }
  | { readonly kind: 'agent cookie' }
  | { readonly kind: 'token'; readonly role: AdminRole }
  | { readonly kind: 'cookie'; readonly role: AdminRole; readonly lacks?: Lack };
type Lack = 'token' | 'origin' | 'own origin' | 'own site';

const CALLERS: readonly Caller[] = [
  { kind: 'nobody' },
  { kind: 'agent key' },
  { kind: 'agent cookie' },
  ...ADMIN_ROLES.flatMap((role): Caller[] => [
    { kind: 'token', role },
    { kind: 'cookie', role },
    { kind: 'cookie', role, lacks: 'token' },
    { kind: 'cookie', role, lacks: 'origin' },
    { kind: 'cookie', role, lacks: 'own origin' },
    { kind: 'cookie', role, lacks: 'own site' },
  ]),
];

/** What must come of it, by what the route says of itself. */
function expected(route: AdminRoute, caller: Caller): 401 | 403 | 'answered' {
  if (caller.kind !== 'token' && caller.kind !== 'cookie') return 401;
  const isWrite = route.method !== 'get';
  if (caller.kind === 'cookie') {
    if (route.tokenOnly === true) return 403;
    if (caller.lacks === 'own site' || (isWrite && caller.lacks !== undefined)) return 403;
  }
  return ADMIN_ROLES.indexOf(caller.role) >= ADMIN_ROLES.indexOf(route.role) ? 'answered' : 403;
}

const TOKENS: Readonly<Record<AdminRole, string>> = {
  viewer: 'viewer-token-0123456789abcdef',
  operator: 'operator-token-0123456789abcdef',
  owner: ADMIN_TOKEN,
};

async function openWithAccounts(): Promise<AdminHub> {
  const hub = await openAdminHub();
  hub.browser.admins.configure(
    (['viewer', 'operator'] as const).map(
      (role) =>
        createAdminAccount({ id: role, name: role, role, now: 0, token: new Secret(TOKENS[role]) }).account,
    ),
  );
  return hub;
}

const FOREIGN = { 'own origin': 'http://evil.example', 'own site': 'http://localhost' };

async function proofOf(hub: AdminHub, caller: Caller): Promise<Pick<Asked, 'token' | 'headers'>> {
  if (caller.kind === 'nobody') return { token: null };
  if (caller.kind === 'agent key') return { token: FILE_AGENT_KEY };
  if (caller.kind === 'token') return { token: TOKENS[caller.role] };
  const secret = caller.kind === 'agent cookie' ? FILE_AGENT_KEY : TOKENS[caller.role];
  const { cookie, session } = await hub.browser.signIn.withSecret({ secret, address: 'test' });
  const lacks = caller.kind === 'cookie' ? caller.lacks : undefined;
  const headers: Record<string, string> = { cookie: `other=1; crosspoint=${cookie}` };
  if (lacks !== 'origin')
    headers['origin'] = lacks === 'own origin' ? FOREIGN['own origin'] : FOREIGN['own site'];
  if (lacks === 'own site') headers['sec-fetch-site'] = 'cross-site';
  if (lacks !== 'token') headers['x-csrf-token'] = session.csrf;
  return { token: null, headers };
}

describe('roles', () => {
  test.each(CALLERS.map((caller) => [Object.values(caller).join(' '), caller] as const))(
    'B4.1 B4.2 B4.3 B4.4 A-1 A-2: every route asked by %s',
    async (_name, caller) => {
      const hub = await openWithAccounts();
      try {
        for (const [name, route] of named) {
          const proof = await proofOf(hub, caller);
          const before = (await hub.recorded()).length;
          const response = await ask(hub, { ...requestOf(route), ...proof });
          await response.body?.cancel();
          const { status } = response;
          const outcome = status === 401 || status === 403 ? status : 'answered';
          expect({ name, outcome }).toEqual({ name, outcome: expected(route, caller) });
          if (outcome === 403) expect(await hub.recorded()).toHaveLength(before);
        }
      } finally {
        await hub.close();
      }
    },
  );

  test('A-1: a viewer may change nothing', () => {
    // These only look, or end what is the viewer's own.
    const looks = ['/policies/explain', '/policies/check', '/session'];
    const writes = ROUTES.filter(({ method, path }) => method !== 'get' && !looks.includes(path));
    expect(writes.filter(({ role }) => role === 'viewer')).toEqual([]);
    expect(writes.length).toBeGreaterThan(15);
  });

  test("only an owner may refer to the keychain of the hub's machine", async () => {
    const hub = await openWithAccounts();
    const at = { url: 'https://a.example/mcp' };
    const bearer = { type: 'bearer', token: 'keychain:tracker' };
    const requests = [
      { method: 'POST', path: '/connectors', body: { ...at, id: 'b', auth: bearer } },
      { method: 'POST', path: '/connectors', body: { ...at, id: 'c', headers: { 'X-A': 'keychain:a' } } },
      { method: 'POST', path: '/connectors/check', body: { ...at, id: 'd', auth: bearer } },
      { method: 'PATCH', path: '/connectors/a', body: { auth: bearer } },
      { method: 'PUT', path: '/connectors/a/credentials/shared', body: { token: 'keychain:tracker' } },
    ];
    try {
      const body = { ...at, id: 'a', auth: { type: 'bearer', token: 'a token' } };
      await ask(hub, { method: 'POST', path: '/connectors', body, token: TOKENS.operator });
      const before = await hub.recorded();
      for (const request of requests)
        expect((await ask(hub, { ...request, token: TOKENS.operator })).status).toBe(403);
      expect(await hub.recorded()).toEqual(before);
      for (const request of requests) expect((await ask(hub, request)).ok).toBe(true);
    } finally {
      await hub.close();
    }
  });

  test('whoever shows a token is judged by it alone', async () => {
    const hub = await openWithAccounts();
    try {
      const { headers = {} } = await proofOf(hub, { kind: 'cookie', role: 'owner' });
      const request = { method: 'GET', path: '/status', headers };
      expect((await ask(hub, { ...request, token: null })).status).toBe(200);
      expect((await ask(hub, { ...request, token: 'wrong' })).status).toBe(401);
      expect((await ask(hub, { ...request, path: '/admins', token: TOKENS.viewer })).status).toBe(403);
    } finally {
      await hub.close();
    }
  });
});

describe('sessions', () => {
  let hub: AdminHub;
  beforeEach(async () => {
    hub = await openWithAccounts();
  });
  afterEach(() => hub.close());

  test('tell who one is and what writes need, and end', async () => {
    const { headers = {} } = await proofOf(hub, { kind: 'cookie', role: 'operator' });
    const asked = { path: '/session', token: null, headers };
    const answer = (await (await ask(hub, { ...asked, method: 'GET' })).json()) as Record<string, unknown>;
    expect(answer).toEqual({
      admin: { id: 'operator', role: 'operator' },
      session: {
        id: expect.stringMatching(/^[\w-]{16}$/) as string,
        csrfToken: headers['x-csrf-token'],
        startedAt: expect.any(String) as string,
        expiresAt: expect.any(String) as string,
      },
    });
    const ended = await ask(hub, { ...asked, method: 'DELETE' });
    expect(ended.status).toBe(204);
    expect(ended.headers.get('set-cookie')).toBe('crosspoint=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    expect((await ask(hub, { ...asked, method: 'GET' })).status).toBe(401);
    expect((await hub.recorded()).map(({ actor, event }) => ({ actor, ...event }))).toMatchObject([
      { actor: { kind: 'admin', id: 'operator' }, type: 'session.started', way: 'token', role: 'operator' },
      { actor: { kind: 'admin', id: 'operator' }, type: 'session.ended', reason: 'signed_out' },
    ]);
  });

  test('a token has none', async () => {
    const answer = await ask(hub, { method: 'GET', path: '/session', token: TOKENS.viewer });
    expect(await answer.json()).toEqual({ admin: { id: 'viewer', role: 'viewer' } });
    expect((await ask(hub, { method: 'DELETE', path: '/session' })).status).toBe(404);
  });

  test('a sign-in link is for whoever asked for it, and signs in once', async () => {
    const asked = { method: 'POST', path: '/sign-in-links', token: TOKENS.operator };
    const { url } = (await (await ask(hub, asked)).json()) as { url: string };
    expect(url).toMatch(/^http:\/\/hub\.test\/sign-in\?code=[\w-]{43}$/);
    const code = new URL(url).searchParams.get('code') ?? '';
    const { session } = await hub.browser.signIn.withLink({ code, address: 'test' });
    expect(session.principal).toEqual({ kind: 'admin', id: 'operator', role: 'operator' });
    await expect(hub.browser.signIn.withLink({ code, address: 'test' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(JSON.stringify(await hub.recorded())).not.toContain(code);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ROLES, ADMIN_ROUTES, type AdminRole, type AdminRoute } from '../../src/contract/index.js';
import { ADMIN_TOKEN, ask, FILE_AGENT_KEY, openAdminHub, type AdminHub } from '../support/admin-hub.js';
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

describe('roles', () => {
  test('B4.4: every route by every role', async () => {
    let role: AdminRole = 'viewer';
    const hub = await openAdminHub({ authenticateAdmin: async () => ({ id: 'someone', role }) });
    try {
      for (role of ADMIN_ROLES) {
        for (const [name, route] of named) {
          if (route.answers === 'event_stream') continue;
          const response = await ask(hub, { ...requestOf(route), token: null });
          await response.text();
          const mayAsk = ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(route.role);
          expect({ name, role, refused: response.status === 403 }).toEqual({ name, role, refused: !mayAsk });
        }
      }
    } finally {
      await hub.close();
    }
  });

  test('A-1: a viewer may change nothing', () => {
    // These two only look.
    const looks = ['/policies/explain'];
    const writes = ROUTES.filter(({ method, path }) => method !== 'get' && !looks.includes(path));
    expect(writes.filter(({ role }) => role === 'viewer')).toEqual([]);
    expect(writes.length).toBeGreaterThan(15);
  });
});

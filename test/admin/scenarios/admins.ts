import { expect } from 'vitest';
import { ask, ADMIN_TOKEN, type AdminHub } from '../../support/admin-hub.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const add = (body: object) => ({ method: 'POST', path: '/admins', body }) as const;

async function withAnn(hub: AdminHub): Promise<string> {
  const { body } = await tell(hub, add({ id: 'ann', role: 'operator' }));
  return String(body['token']);
}

const scenarios: Scenario[] = [
  {
    name: 'the holder of the hub’s own token is one',
    request: { method: 'GET', path: '/admins' },
    status: 200,
    body: {
      items: [
        {
          id: 'admin',
          role: 'owner',
          source: 'built_in',
          readOnly: true,
          last4: ADMIN_TOKEN.slice(-4),
        },
      ],
    },
  },
  {
    name: 'one is added, and its token shown this once',
    request: add({ id: 'ann', name: 'Ann <b>', role: 'operator' }),
    status: 201,
    body: {
      id: 'ann',
      name: 'Ann <b>',
      role: 'operator',
      source: 'stored',
      readOnly: false,
      token: expect.stringMatching(/^cpa_[\w-]{43}$/) as string,
    },
    events: [
      { type: 'admin.added', admin: 'ann', role: 'operator', actor: ADMIN, before: HASH, after: HASH },
    ],
    after: async (hub, body) => {
      const { token, last4 } = body as { token: string; last4: string };
      expect(last4).toBe(token.slice(-4));
      const listed = await ask(hub, { method: 'GET', path: '/admins' });
      expect(await listed.text()).not.toContain(token);
      expect((await ask(hub, { method: 'GET', path: '/status', token })).status).toBe(200);
      expect((await ask(hub, { method: 'GET', path: '/admins', token })).status).toBe(403);
      expect(await hub.authenticator.authenticate(token)).toBeUndefined();
      expect(JSON.stringify(await hub.recorded())).not.toContain(token);
      expect(await hub.storage.admins.find('ann')).not.toHaveProperty('token');
    },
  },
  {
    name: 'a second of its name is a conflict',
    given: withAnn,
    request: add({ id: 'ann', role: 'viewer' }),
    status: 409,
  },
  {
    name: 'the name of the built-in one is a conflict',
    request: add({ id: 'admin', role: 'viewer' }),
    status: 409,
  },
  {
    name: 'an id must be a name',
    request: add({ id: 'oidc:ann', role: 'viewer' }),
    status: 400,
    body: { error: { details: { field: 'id' } } },
  },
  ...[
    ['role', { id: 'ann' }],
    ['role', { id: 'ann', role: 'root' }],
    ['id', { role: 'viewer' }],
    ['name', { id: 'ann', role: 'viewer', name: 'a\u0007b' }],
    ['token', { id: 'ann', role: 'viewer', token: 'mine' }],
    ['source', { id: 'ann', role: 'viewer', source: 'built_in' }],
  ].map(([field, body]): Scenario => ({
    name: `A-3 A-9: ${JSON.stringify(field)} of ${JSON.stringify(body)} is refused`,
    request: add(body as object),
    status: 400,
    body: { error: { details: { field } } },
  })),
  {
    name: 'one is removed, and its token and sessions with it',
    given: withAnn,
    request: { method: 'DELETE', path: '/admins/ann' },
    status: 204,
    events: [
      { type: 'admin.removed', admin: 'ann', role: 'operator', actor: ADMIN, before: HASH, after: HASH },
    ],
  },
  {
    name: 'the token of a removed one opens nothing',
    request: async (hub) => {
      const token = await withAnn(hub);
      await tell(hub, { method: 'DELETE', path: '/admins/ann' });
      return { method: 'GET', path: '/status', token };
    },
    status: 401,
    events: [{ type: 'auth.refused', surface: 'admin' }],
  },
  {
    name: 'the last way in cannot be removed',
    request: { method: 'DELETE', path: '/admins/admin' },
    status: 409,
  },
  ...['ann', ...HOSTILE_IDS].map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is unknown`,
    request: { method: 'DELETE', path: `/admins/${id}` },
    status: 404,
  })),
];

export const ADMIN_SCENARIOS = named('admins', scenarios);

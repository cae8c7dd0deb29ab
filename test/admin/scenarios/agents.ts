import { expect } from 'vitest';
import { toAgentId } from '../../../src/kernel/index.js';
import { withMail, type AdminHub } from '../../support/admin-hub.js';
import { FILE_AGENT_KEY } from '../../support/admin-hub-configuration.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

async function withCi(hub: AdminHub): Promise<void> {
  await tell(hub, { method: 'POST', path: '/agents', body: { id: 'ci', tags: ['bots'] } });
}

async function withKey(hub: AdminHub): Promise<{ readonly id: string; readonly key: string }> {
  await withCi(hub);
  return (await tell(hub, { method: 'POST', path: '/agents/ci/keys' })).body as { id: string; key: string };
}

const add = (body: object) => ({ method: 'POST', path: '/agents', body }) as const;

const scenarios: Scenario[] = [
  {
    name: 'one is added',
    request: add({ id: 'ci', name: 'Build <i>machine</i>', tags: ['bots'] }),
    status: 201,
    body: {
      id: 'ci',
      name: 'Build <i>machine</i>',
      enabled: true,
      tags: ['bots'],
      source: 'stored',
      readOnly: false,
      version: 1,
      keys: [],
    },
    headers: { etag: /^"1-/ },
    events: [{ type: 'agent.added', agent: 'ci', actor: ADMIN, before: HASH, after: HASH }],
  },
  { name: 'a second of its name is a conflict', given: withCi, request: add({ id: 'ci' }), status: 409 },
  { name: 'the name of a configured one is a conflict', request: add({ id: 'filed' }), status: 409 },
  {
    name: 'one called shared would be mistaken',
    request: add({ id: 'shared' }),
    status: 400,
    body: { error: { details: { field: 'id' } } },
  },
  {
    name: 'an id must be a name',
    request: add({ id: 'a b' }),
    status: 400,
    body: { error: { details: { field: 'id' } } },
  },
  {
    name: 'an id is needed',
    request: add({ name: 'x' }),
    status: 400,
    body: { error: { details: { field: 'id' } } },
  },
  ...['role', 'createdAt', 'source', 'keys', 'version'].map((field): Scenario => ({
    name: `A-3: ${field} cannot be assigned`,
    request: add({ id: 'ci', [field]: 'owner' }),
    status: 400,
    body: { error: { details: { field } } },
  })),
  { name: 'A-9: control characters are refused', request: add({ id: 'ci', name: 'a\u0000b' }), status: 400 },
  {
    name: 'all, in order',
    given: withCi,
    request: { method: 'GET', path: '/agents' },
    status: 200,
    body: { items: [{ id: 'ci' }, { id: 'filed', readOnly: true }, { id: 'local', source: 'built_in' }] },
  },
  {
    name: 'a page of them',
    request: { method: 'GET', path: '/agents?limit=1' },
    status: 200,
    body: { items: [{ id: 'filed' }], nextCursor: expect.any(String) },
  },
  {
    name: 'A-7: a bad cursor is refused',
    request: { method: 'GET', path: '/agents?cursor=%00' },
    status: 400,
  },
  {
    name: 'one with its keys, of which nothing can be used',
    given: withKey,
    request: { method: 'GET', path: '/agents/ci' },
    status: 200,
    body: {
      keys: [
        { id: expect.any(String), last4: expect.stringMatching(/^.{4}$/), createdAt: expect.any(String) },
      ],
    },
    after: async (_hub, body) => expect(JSON.stringify(body)).not.toMatch(/cpk_|digest|[0-9a-f]{64}/),
  },
  ...HOSTILE_IDS.map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is no agent`,
    request: { method: 'GET', path: `/agents/${id}` },
    status: 404,
  })),
  {
    name: 'a change keeps the rest',
    given: withCi,
    request: { method: 'PATCH', path: '/agents/ci', body: { enabled: false } },
    status: 200,
    body: { enabled: false, tags: ['bots'], name: 'ci', version: 2 },
    events: [{ type: 'agent.changed', agent: 'ci', before: HASH, after: HASH }],
  },
  {
    name: 'a change takes nothing else',
    given: withCi,
    request: { method: 'PATCH', path: '/agents/ci', body: { id: 'x' } },
    status: 400,
  },
  {
    name: 'a stale tag changes nothing',
    given: withCi,
    request: { method: 'PATCH', path: '/agents/ci', body: { name: 'x' }, headers: { 'if-match': '"5-x"' } },
    status: 412,
  },
  {
    name: 'a configured one is changed in its file',
    request: { method: 'PATCH', path: '/agents/filed', body: { enabled: false } },
    status: 409,
  },
  {
    name: 'a built-in one cannot be changed',
    request: { method: 'PATCH', path: '/agents/local', body: { enabled: false } },
    status: 409,
  },
  {
    name: 'what is not there cannot be changed',
    request: { method: 'PATCH', path: '/agents/none', body: {} },
    status: 404,
  },
  {
    name: 'one is removed with its keys and accounts',
    given: async (hub) => {
      await withKey(hub);
      await withMail(hub);
      await tell(hub, {
        method: 'PUT',
        path: '/connectors/mail/credentials/ci',
        body: { token: 'canary-ci-token-1234' },
      });
    },
    request: { method: 'DELETE', path: '/agents/ci' },
    status: 204,
    events: [{ type: 'agent.removed', agent: 'ci', before: HASH, after: HASH }],
    after: async (hub) => {
      expect(await hub.storage.credentials.list()).toEqual([]);
      expect(await hub.storage.agents.listKeys(toAgentId('ci'))).toEqual([]);
    },
  },
  {
    name: 'a stale tag removes nothing',
    given: withCi,
    request: { method: 'DELETE', path: '/agents/ci', headers: { 'if-match': '"5-x"' } },
    status: 412,
  },
  {
    name: 'what is not there cannot be removed',
    request: { method: 'DELETE', path: '/agents/none' },
    status: 404,
  },
];

const keys: Scenario[] = [
  {
    name: 'a key is shown once and works at once',
    given: withCi,
    request: { method: 'POST', path: '/agents/ci/keys' },
    status: 201,
    body: { agent: 'ci', key: expect.stringMatching(/^cpk_.{40,}$/), id: expect.any(String) },
    events: [{ type: 'key.added', agent: 'ci', key: expect.any(String), actor: ADMIN }],
    after: async (hub, body) => {
      const { key } = body as { key: string };
      expect((await hub.authenticator.authenticate(key))?.id).toBe('ci');
      expect(JSON.stringify(await hub.recorded())).not.toContain(key);
    },
  },
  {
    name: 'a key may end',
    given: withCi,
    request: { method: 'POST', path: '/agents/ci/keys', body: { expiresAt: '2999-01-01T00:00:00Z' } },
    status: 201,
    body: { expiresAt: '2999-01-01T00:00:00.000Z' },
    events: [{ type: 'key.added' }],
  },
  {
    name: 'a key cannot have ended',
    given: withCi,
    request: { method: 'POST', path: '/agents/ci/keys', body: { expiresAt: '2001-01-01T00:00:00Z' } },
    status: 400,
    body: { error: { details: { field: 'expiresAt' } } },
  },
  {
    name: 'a key is not chosen',
    given: withCi,
    request: { method: 'POST', path: '/agents/ci/keys', body: { key: 'mine' } },
    status: 400,
  },
  {
    name: 'keys of a configured agent stand in its file',
    request: { method: 'POST', path: '/agents/filed/keys' },
    status: 409,
  },
  { name: 'nobody has no keys', request: { method: 'POST', path: '/agents/none/keys' }, status: 404 },
  {
    name: 'a revoked key is nobody’s at once',
    request: async (hub) => {
      const { id, key } = await withKey(hub);
      expect((await hub.authenticator.authenticate(key))?.id).toBe('ci');
      revoked = key;
      return { method: 'DELETE', path: `/agents/ci/keys/${id}` };
    },
    status: 204,
    events: [{ type: 'key.revoked', agent: 'ci', actor: ADMIN }],
    after: async (hub) => expect(await hub.authenticator.authenticate(revoked)).toBeUndefined(),
  },
  {
    name: 'a disabled agent’s keys are nobody’s',
    request: async (hub) => (
      (revoked = (await withKey(hub)).key),
      { method: 'PATCH', path: '/agents/ci', body: { enabled: false } }
    ),
    status: 200,
    events: [{ type: 'agent.changed' }],
    after: async (hub) => expect(await hub.authenticator.authenticate(revoked)).toBeUndefined(),
  },
  {
    name: 'an unknown key cannot be revoked',
    given: withCi,
    request: { method: 'DELETE', path: '/agents/ci/keys/none' },
    status: 404,
  },
  {
    name: 'A-6: a hostile key id is unknown',
    given: withCi,
    request: { method: 'DELETE', path: "/agents/ci/keys/x'%20OR%201=1" },
    status: 404,
  },
  {
    name: 'a key of a file is revoked there',
    request: { method: 'DELETE', path: '/agents/filed/keys/any' },
    status: 409,
    after: async (hub) => expect((await hub.authenticator.authenticate(FILE_AGENT_KEY))?.id).toBe('filed'),
  },
];
let revoked = '';

export const AGENT_SCENARIOS = named('agents', [...scenarios, ...keys]);

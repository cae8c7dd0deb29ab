import { expect } from 'vitest';
import { HubError } from '../../../src/kernel/index.js';
import { ask, withNotes, type AdminHub } from '../../support/admin-hub.js';
import { HASH, named, tell, type Scenario } from '../scenario.js';

async function withHistory(hub: AdminHub): Promise<void> {
  await withNotes(hub);
  await tell(hub, { method: 'POST', path: '/tools/call', body: { agent: 'local', name: 'notes__erase' } });
  await ask(hub, { method: 'POST', path: '/tools/call', body: { agent: 'filed', name: 'notes__erase' } });
}

const get = (query: string) =>
  ({ given: withHistory, request: { method: 'GET', path: `/events${query}` } }) as const;
const types = (...expected: string[]) => ({ items: expected.map((type) => ({ type })) });

const statistics: Scenario[] = [
  {
    name: 'calls of the last hour, those just made included',
    given: withHistory,
    request: { method: 'GET', path: '/statistics' },
    status: 200,
    body: {
      total: { calls: 2, failed: 0, denied: 1, p50Ms: expect.any(Number) },
      connectors: [{ id: 'notes', calls: 1, failed: 0, denied: 0 }],
      agents: [
        { id: 'filed', calls: 1, denied: 1 },
        { id: 'local', calls: 1, denied: 0 },
      ],
    },
    after: async (_hub, body) => {
      const { minutes } = body as { readonly minutes: readonly { readonly calls: number }[] };
      expect(minutes).toHaveLength(60);
      expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
    },
  },
];

const listing: Scenario[] = [
  {
    name: 'newest first, each with its place in the chain',
    ...get(''),
    status: 200,
    body: {
      items: [
        {
          sequence: 5,
          type: 'call.refused',
          outcome: 'denied',
          actor: { kind: 'agent', id: 'filed', admin: 'admin' },
          at: expect.stringMatching(/Z$/),
          hash: HASH,
          previousHash: HASH,
        },
        { sequence: 4, type: 'call.finished', outcome: 'ok' },
        { sequence: 3, type: 'call.intended', arguments: { bytes: expect.any(Number) } },
        { sequence: 2, type: 'connector.synced' },
        { sequence: 1, type: 'connector.added' },
      ],
    },
  },
  { name: 'of an agent', ...get('?agent=filed'), status: 200, body: types('call.refused') },
  {
    name: 'of a connector',
    ...get('?connector=notes&type=connector.synced'),
    status: 200,
    body: types('connector.synced'),
  },
  { name: 'of an outcome', ...get('?outcome=ok'), status: 200, body: types('call.finished') },
  { name: 'of the past', ...get('?until=2001-01-01'), status: 200, body: { items: [] } },
  {
    name: 'since a moment',
    ...get('?since=2001-01-01T00:00:00%2B02:00'),
    status: 200,
    body: { items: [{}, {}, {}, {}, {}] },
  },
  { name: 'since milliseconds', ...get('?since=99999999999999'), status: 200, body: { items: [] } },
  {
    name: 'of a call',
    given: withHistory,
    request: async (hub) => ({
      method: 'GET',
      path: `/events?callId=${String(((await tell(hub, { method: 'GET', path: '/events?type=call.finished' })).body['items'] as { callId: string }[])[0]?.callId)}`,
    }),
    status: 200,
    body: types('call.finished', 'call.intended'),
  },
  { name: 'of nobody', ...get("?agent=x'%20OR%201=1"), status: 200, body: { items: [] } },
  {
    name: 'a page',
    ...get('?limit=2'),
    status: 200,
    body: { items: [{ sequence: 5 }, { sequence: 4 }], nextCursor: expect.any(String) },
  },
  {
    name: 'the page after',
    given: withHistory,
    request: async (hub) => ({
      method: 'GET',
      path: `/events?limit=3&cursor=${String((await tell(hub, { method: 'GET', path: '/events?limit=2' })).body['nextCursor'])}`,
    }),
    status: 200,
    body: { items: [{ sequence: 3 }, { sequence: 2 }, { sequence: 1 }] },
    after: async (_hub, body) => expect(body).not.toHaveProperty('nextCursor'),
  },
  ...[
    'type=none',
    'outcome=none',
    'since=yesterday',
    'limit=201',
    'limit=0',
    'cursor=x',
    `cursor=${Buffer.from('events\nx').toString('base64url')}`,
    'order=oldest',
  ].map((query): Scenario => ({
    name: `A-7: ${query} is refused`,
    request: { method: 'GET', path: `/events?${query}` },
    status: 400,
  })),
];

const verifying: Scenario[] = [
  {
    name: 'an untouched log is whole',
    given: withHistory,
    request: { method: 'POST', path: '/events/verify' },
    status: 200,
    body: { ok: true, events: 5, first: 1, head: HASH },
  },
  {
    name: 'B5.3: a changed row is found',
    given: async (hub) => {
      await withHistory(hub);
      const { query } = hub.storage.events;
      hub.storage.events.query = async (wanted) =>
        (await query.call(hub.storage.events, wanted)).map((record) =>
          record.sequence === 3 ? { ...record, at: 0 } : record,
        );
    },
    request: { method: 'POST', path: '/events/verify' },
    status: 200,
    body: { ok: false, sequence: 3, problem: 'altered' },
  },
];

const status: Scenario[] = [
  {
    name: 'what the hub is and has',
    given: withHistory,
    request: { method: 'GET', path: '/status' },
    status: 200,
    body: {
      version: '9.9.9',
      uptimeMs: expect.any(Number),
      counts: { connectors: 4, agents: 2, policies: 2, tools: 2, events: 5 },
      health: { healthy: 0, unhealthy: 0, unknown: 4, disabled: 0 },
      audit: { available: true },
      storage: { kind: 'sqlite' },
      config: { file: '/etc/crosspoint.yaml', sources: { 'server.port': 'default' } },
    },
  },
  {
    name: 'a log that cannot be written is told, and calls are refused',
    given: async (hub) => {
      await withNotes(hub);
      hub.storage.events.append = () => {
        throw new HubError('storage_unavailable', 'the disk is full');
      };
      const refused = await ask(hub, {
        method: 'POST',
        path: '/tools/call',
        body: { agent: 'local', name: 'notes__erase' },
      });
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ error: { code: 'audit_unavailable' } });
      expect(hub.upstreams.calls).toEqual([]);
    },
    request: { method: 'GET', path: '/status' },
    status: 200,
    body: { audit: { available: false } },
  },
];

export const EVENT_SCENARIOS = [
  ...named('events', [...listing, ...verifying]),
  ...named('statistics', statistics),
  ...named('status', status),
];

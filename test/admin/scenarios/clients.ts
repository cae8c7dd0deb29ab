import { expect } from 'vitest';
import { toAgentId } from '../../../src/kernel/index.js';
import type { AdminHub } from '../../support/admin-hub.js';
import { ADMIN, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const LOCAL = toAgentId('local');

async function withEditor(hub: AdminHub): Promise<string> {
  await hub.clients.approve(
    {
      clientId: 'https://editor.example/client.json',
      name: 'Editor <b>',
      agent: LOCAL,
      scopes: ['mcp'],
      redirectUri: 'http://127.0.0.1/callback',
    },
    { kind: 'agent', id: LOCAL },
  );
  const [client] = await hub.clients.list();
  return client?.id ?? '';
}

const REVOKED = { type: 'client.revoked', client: 'https://editor.example/client.json', name: 'Editor <b>' };

const scenarios: Scenario[] = [
  {
    name: 'at first there are none',
    request: { method: 'GET', path: '/clients' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'one that was allowed is listed',
    given: withEditor,
    request: { method: 'GET', path: '/clients' },
    status: 200,
    body: {
      items: [
        {
          id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
          clientId: 'https://editor.example/client.json',
          name: 'Editor <b>',
          agent: 'local',
          scopes: ['mcp'],
          redirectUri: 'http://127.0.0.1/callback',
          approvedBy: 'agent local',
          approvedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        },
      ],
    },
  },
  {
    name: 'what it was allowed is taken back',
    request: async (hub) => ({ method: 'DELETE', path: `/clients/${await withEditor(hub)}` }),
    status: 204,
    events: [{ ...REVOKED, agent: 'local', actor: ADMIN }],
    async after(hub) {
      expect((await tell(hub, { method: 'GET', path: '/clients' })).body).toEqual({ items: [] });
      expect(await hub.clients.find(LOCAL, 'https://editor.example/client.json')).toBeUndefined();
    },
  },
  {
    name: 'one that is not there',
    request: { method: 'DELETE', path: '/clients/0123456789abcdef' },
    status: 404,
  },
  ...HOSTILE_IDS.map((id): Scenario => ({
    name: `A-6: ${JSON.stringify(id)} is none`,
    request: { method: 'DELETE', path: `/clients/${encodeURIComponent(id)}` },
    status: 404,
  })),
];

export const CLIENT_SCENARIOS = named('clients', scenarios);

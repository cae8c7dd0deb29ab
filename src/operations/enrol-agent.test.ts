import { expect, test } from 'vitest';
import { createMemoryTickets } from '../../test/support/memory-tickets.js';
import { systemClock, toAgentId, toCallId, toConnectorId, type TaskRecord } from '../kernel/index.js';
import type { EventLog, HubEvent } from '../governance/index.js';
import { createClientApprovals } from './client-approvals.js';
import { createEnrolAgent } from './enrol-agent.js';

const TASK: TaskRecord = {
  id: 't',
  agent: toAgentId('ci'),
  connector: toConnectorId('crm'),
  owner: 'shared',
  upstreamId: 'far',
  tool: 'export',
  exposedName: 'crm__export',
  callId: toCallId('c1'),
  status: 'working',
  createdAt: 0,
  updatedAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
  pollMs: undefined,
  finished: false,
};

test('programs that acted as an earlier agent of its name do not act as the new one, and its tasks are over', async () => {
  const clock = systemClock;
  const tickets = createMemoryTickets(clock);
  const appended: HubEvent[] = [];
  const events: Pick<EventLog, 'append'> = { append: (_, event) => void appended.push(event) };
  const taken: string[] = [];
  const clients = createClientApprovals({ tickets, authenticator: { forget() {} }, events, clock });
  const id = toAgentId('ci');
  const approval = { clientId: 'c', name: 'C', scopes: ['mcp'], redirectUri: 'http://127.0.0.1/cb' };
  await clients.approve({ ...approval, agent: id }, { kind: 'agent', id });
  await clients.approve({ ...approval, agent: toAgentId('other') }, { kind: 'agent', id });
  const enrol = createEnrolAgent({
    agents: { find: async () => undefined },
    agentStore: { add: async () => {} },
    credentialStore: { removeAllOf: async () => {} },
    tickets,
    taskStore: {
      takeAllOf: async (agent) => {
        taken.push(agent);
        return [TASK, { ...TASK, id: 'u', callId: toCallId('c2'), finished: true }];
      },
    },
    clients,
    events,
    clock,
  });
  await enrol({ id, name: 'CI', tags: [], issuer: 'https://issuer.example' });
  expect((await clients.list()).map(({ agent }) => agent)).toEqual(['other']);
  expect(taken).toEqual(['ci']);
  expect(appended.filter(({ type }) => type === 'call.finished')).toMatchObject([
    { callId: 'c1', connector: 'crm', outcome: 'cancelled' },
  ]);
});

import { expect, test } from 'vitest';
import { createMemoryTickets } from '../../test/support/memory-tickets.js';
import { systemClock, toAgentId } from '../kernel/index.js';
import { createClientApprovals } from './client-approvals.js';
import { createEnrolAgent } from './enrol-agent.js';

test('programs that acted as an earlier agent of its name do not act as the new one', async () => {
  const clock = systemClock;
  const tickets = createMemoryTickets(clock);
  const events = { append() {} };
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
    clients,
    events,
    clock,
  });
  await enrol({ id, name: 'CI', tags: [], issuer: 'https://issuer.example' });
  expect((await clients.list()).map(({ agent }) => agent)).toEqual(['other']);
});

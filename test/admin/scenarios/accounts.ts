import { expect } from 'vitest';
import { TOOLS, type AdminHub } from '../../support/admin-hub.js';
import { refuseAnonymous } from '../../support/scripted-pool.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const CONNECT = '/connectors/tracker/connect';
const OF_LOCAL = '/connectors/tracker/accounts/local';
const FACTS = { connector: 'tracker', owner: 'local' };

/** A stored connector whose accounts come from a sign-in, one for each agent. */
async function withTracker(hub: AdminHub): Promise<void> {
  hub.upstreams.script('tracker', { tools: [TOOLS.search], open: refuseAnonymous });
  const auth = { type: 'oauth' };
  const body = { id: 'tracker', url: 'https://tracker.example/mcp', auth, credentialMode: 'per_agent' };
  await tell(hub, { method: 'POST', path: '/connectors', body });
}

async function connect(hub: AdminHub, body: object = { agent: 'local' }): Promise<void> {
  const begun = await tell(hub, { method: 'POST', path: CONNECT, body });
  const state = new URL(String(begun.body['authorizationUrl'])).searchParams.get('state') ?? '';
  const response = new URLSearchParams({ state, code: 'canary-code', iss: 'https://auth.example' });
  await hub.connections.finish.answer({
    response,
    browser: async () => undefined,
    isPerson: false,
    address: '192.0.2.9',
  });
}

async function withAccount(hub: AdminHub): Promise<void> {
  await withTracker(hub);
  await connect(hub);
}

async function withTwo(hub: AdminHub): Promise<void> {
  await withAccount(hub);
  await connect(hub, { agent: 'local', account: 'office' });
}

const listing = [
  { why: 'no agent was named to ask as', body: {}, known: withTracker },
  { why: 'agent other has to do so first', body: { agent: 'other' }, known: withAccount },
].map(({ why, body, known }): Scenario => ({
  name: `tools are listed to those who sign in: ${why}`,
  given: async (hub) => {
    await known(hub);
    await tell(hub, { method: 'POST', path: '/agents', body: { id: 'other' } });
  },
  request: { method: 'POST', path: '/connectors/tracker/sync', body },
  status: 409,
  body: { error: { code: 'credential_required', message: expect.stringContaining(why) as string } },
  events: [{ type: 'connector.sync_failed', connector: 'tracker' }],
}));

const beginning: Scenario[] = [
  {
    name: 'a sign-in begins at the authorization server',
    given: withTracker,
    request: { method: 'POST', path: CONNECT, body: { agent: 'local' } },
    status: 200,
    body: { authorizationUrl: expect.stringMatching(/^https:\/\/auth\.example\/authorize\?/) },
    events: [{ type: 'account.connecting', ...FACTS, account: 'default', actor: ADMIN }],
  },
  {
    name: 'and may be for everybody',
    given: withTracker,
    request: { method: 'POST', path: CONNECT },
    status: 200,
    events: [{ type: 'account.connecting', connector: 'tracker', owner: 'shared' }],
  },
  {
    name: 'an unknown agent is not found',
    given: withTracker,
    request: { method: 'POST', path: CONNECT, body: { agent: 'none' } },
    status: 404,
  },
  {
    name: 'a name that cannot stand in an address is refused',
    given: withTracker,
    request: { method: 'POST', path: CONNECT, body: { agent: 'local', account: 'a/b' } },
    status: 400,
    body: { error: { details: { field: 'account' } } },
  },
  {
    name: 'unknown fields are refused',
    given: withTracker,
    request: { method: 'POST', path: CONNECT, body: { redirectUri: 'https://evil.example' } },
    status: 400,
  },
  {
    name: 'a connector with one account for all takes none for an agent',
    given: async (hub) => {
      await withTracker(hub);
      await tell(hub, { method: 'PATCH', path: '/connectors/tracker', body: { credentialMode: 'shared' } });
    },
    request: { method: 'POST', path: CONNECT, body: { agent: 'local' } },
    status: 409,
    body: { error: { code: 'conflict' } },
  },
  {
    name: 'B6.1: too many under way of one admin are refused',
    given: async (hub) => {
      await withTracker(hub);
      for (let count = 0; count < 100; count++) await tell(hub, { method: 'POST', path: CONNECT, body: {} });
    },
    request: { method: 'POST', path: CONNECT, body: {} },
    status: 429,
    headers: { 'retry-after': /^\d+$/ },
  },
  {
    name: 'a confirmation that nobody gave is refused',
    given: withTracker,
    request: { method: 'POST', path: `${CONNECT}/finish`, body: { confirmation: 'x'.repeat(43) } },
    status: 400,
  },
];

const keeping: Scenario[] = [
  {
    name: 'all are told with their states, never with their tokens',
    given: withTwo,
    request: { method: 'GET', path: '/connectors/tracker/accounts' },
    status: 200,
    body: {
      items: [
        {
          owner: 'local',
          account: 'default',
          isDefault: true,
          state: 'valid',
          issuer: 'https://auth.example',
        },
        { owner: 'local', account: 'office', isDefault: false, state: 'valid' },
      ],
    },
  },
  {
    name: 'a connector counts them',
    given: withTwo,
    request: { method: 'GET', path: '/connectors/tracker' },
    status: 200,
    body: {
      accounts: { valid: 2, expiring: 0, needs_sign_in: 0, failed: 0 },
      credentials: [{ account: 'default' }, { account: 'office' }],
    },
  },
  {
    name: 'an agent shows its own',
    given: withTwo,
    request: { method: 'GET', path: '/agents/local' },
    status: 200,
    body: { credentials: [{ connector: 'tracker' }, { connector: 'tracker', account: 'office' }] },
  },
  {
    name: 'another address makes them worthless',
    given: async (hub) => {
      await withAccount(hub);
      await tell(hub, {
        method: 'PATCH',
        path: '/connectors/tracker',
        body: { url: 'https://elsewhere.example/mcp' },
      });
    },
    request: { method: 'GET', path: '/connectors/tracker/accounts' },
    status: 200,
    body: { items: [{ state: 'needs_sign_in', reason: expect.stringContaining('another server') }] },
  },
  {
    name: 'one is chosen',
    given: withTwo,
    request: { method: 'POST', path: `${OF_LOCAL}/office/default` },
    status: 200,
    body: { account: 'office', isDefault: true },
    events: [{ type: 'account.chosen', ...FACTS, account: 'office', actor: ADMIN }],
  },
  {
    name: 'none that is not there is chosen',
    given: withAccount,
    request: { method: 'POST', path: `${OF_LOCAL}/office/default` },
    status: 404,
  },
  {
    name: 'one is revoked and removed, the other stays',
    given: withTwo,
    request: { method: 'DELETE', path: `${OF_LOCAL}/default` },
    status: 204,
    events: [
      { type: 'credential.removed', ...FACTS, actor: ADMIN, before: HASH },
      { type: 'account.disconnected', ...FACTS, account: 'default', revoked: true, actor: ADMIN },
    ],
    after: async (hub) => {
      expect(hub.flow.revoked).toHaveLength(1);
      const { body } = await tell(hub, { method: 'GET', path: '/connectors/tracker/accounts' });
      expect(body['items']).toMatchObject([{ account: 'office', isDefault: true }]);
    },
  },
  {
    name: 'all of an owner go at once',
    given: withTwo,
    request: { method: 'DELETE', path: '/connectors/tracker/credentials/local' },
    status: 204,
    events: [
      { type: 'credential.removed' },
      { type: 'account.disconnected', account: 'default' },
      { type: 'account.disconnected', account: 'office' },
    ],
  },
  {
    name: 'they go with their connector',
    given: withAccount,
    request: { method: 'DELETE', path: '/connectors/tracker' },
    status: 204,
    events: [
      { type: 'account.disconnected', ...FACTS, revoked: true },
      { type: 'connector.removed', connector: 'tracker' },
    ],
  },
  ...HOSTILE_IDS.map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is no account`,
    given: withAccount,
    request: { method: 'DELETE', path: `${OF_LOCAL}/${id}` },
    status: 404,
  })),
];

export const ACCOUNT_SCENARIOS = named('accounts', [...beginning, ...listing, ...keeping]);

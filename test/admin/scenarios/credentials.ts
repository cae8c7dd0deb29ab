import { expect } from 'vitest';
import { HubError, toAgentId, toConnectorId } from '../../../src/kernel/index.js';
import { TOOLS, withMail, withNotes, type AdminHub } from '../../support/admin-hub.js';
import { refuseAnonymous } from '../../support/scripted-pool.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const SHARED = '/connectors/mail/credentials/shared';
const OF_LOCAL = '/connectors/mail/credentials/local';
const SAVED = { type: 'credential.saved', connector: 'mail', actor: ADMIN, before: HASH, after: HASH };

async function withShared(hub: AdminHub): Promise<void> {
  await withMail(hub);
  await tell(hub, { method: 'PUT', path: SHARED, body: { token: 'canary-shared-token-1111' } });
}

async function withHeaders(hub: AdminHub): Promise<void> {
  await tell(hub, {
    method: 'POST',
    path: '/connectors',
    body: {
      id: 'two',
      url: 'https://two.example/',
      auth: { type: 'header', headers: { 'X-One': null, 'X-Two': null } },
    },
  });
}

const put = (path: string, body: object) => ({ method: 'PUT', path, body }) as const;

const scenarios: Scenario[] = [
  {
    name: 'a shared one is stored and only told of',
    given: withMail,
    request: put(SHARED, { token: 'canary-shared-token-1111' }),
    status: 201,
    body: {
      connector: 'mail',
      owner: 'shared',
      set: true,
      last4: '1111',
      values: { token: { set: true, last4: '1111' } },
      version: 1,
    },
    headers: { etag: /^"1-/ },
    events: [{ ...SAVED, owner: 'shared' }],
  },
  {
    name: 'it is read without its value',
    given: withShared,
    request: { method: 'GET', path: SHARED },
    status: 200,
    body: { set: true, last4: '1111' },
  },
  {
    name: 'it is replaced',
    given: withShared,
    request: put(SHARED, { token: 'canary-second-token-2222' }),
    status: 200,
    body: { last4: '2222', version: 2 },
    events: [{ ...SAVED, owner: 'shared' }],
  },
  {
    name: 'a blank value leaves it',
    given: withShared,
    request: put(SHARED, { token: '' }),
    status: 200,
    body: { last4: '1111', version: 2 },
    events: [{ ...SAVED, owner: 'shared' }],
  },
  {
    name: 'a blank value alone is none',
    given: withMail,
    request: put(SHARED, { token: '' }),
    status: 400,
    body: { error: { details: { field: 'token' } } },
  },
  { name: 'no value is none', given: withMail, request: put(SHARED, {}), status: 400 },
  {
    name: 'of short ones nothing is shown',
    given: withMail,
    request: put(SHARED, { token: 'short' }),
    status: 201,
    after: async (_hub, body) => expect(body).not.toHaveProperty('last4'),
    events: [SAVED],
  },
  {
    name: 'a key may be called value or token',
    given: (hub) =>
      tell(hub, {
        method: 'POST',
        path: '/connectors',
        body: { id: 'mail', url: 'https://k.example/', auth: { type: 'api_key' } },
      }),
    request: put(SHARED, { token: 'canary-key-3333' }),
    status: 201,
    body: { values: { value: { set: true, last4: '3333' } } },
    events: [SAVED],
  },
  {
    name: 'several headers are kept one by one',
    given: async (hub) => (
      await withHeaders(hub),
      tell(hub, put('/connectors/two/credentials/shared', { headers: { 'x-one': 'canary-one-1111' } }))
    ),
    request: put('/connectors/two/credentials/shared', {
      headers: { 'X-Two': 'canary-two-2222', 'X-One': '' },
    }),
    status: 200,
    body: { set: true, values: { 'X-One': { last4: '1111' }, 'X-Two': { last4: '2222' } } },
    events: [{ type: 'credential.saved', connector: 'two' }],
  },
  {
    name: 'a header the connector does not have is refused',
    given: withHeaders,
    request: put('/connectors/two/credentials/shared', { headers: { 'X-Three': 'canary' } }),
    status: 400,
  },
  {
    name: 'values may be given by name',
    given: withMail,
    request: put(SHARED, { values: { token: 'canary-named-4444' } }),
    status: 201,
    body: { last4: '4444' },
    events: [SAVED],
  },
  {
    name: 'header values may be given by name',
    given: withHeaders,
    request: put('/connectors/two/credentials/shared', { values: { 'X-One': 'canary-named-4444' } }),
    status: 201,
    body: { values: { 'X-One': { last4: '4444' } } },
    events: [{ type: 'credential.saved' }],
  },
  {
    name: 'a name that is not its own is refused',
    given: withMail,
    request: put(SHARED, { values: { password: 'canary-named-4444' } }),
    status: 400,
    body: { error: { details: { field: 'password' } } },
  },
  {
    name: 'headers do not belong to a bearer token',
    given: withMail,
    request: put(SHARED, { headers: { 'X-A': 'canary' } }),
    status: 400,
    body: { error: { details: { field: 'X-A' } } },
  },
  {
    name: 'A-10: line breaks are refused',
    given: withMail,
    request: put(SHARED, { token: 'canary\r\nHost: evil' }),
    status: 400,
    body: { error: { details: { field: 'token' } } },
  },
  {
    name: 'A-3: unknown fields are refused',
    given: withMail,
    request: put(SHARED, { token: 'canary', owner: 'x' }),
    status: 400,
  },
  {
    name: 'a stale tag stores nothing',
    given: withShared,
    request: { ...put(SHARED, { token: 'canary-4444-4444' }), headers: { 'if-match': '"9-x"' } },
    status: 412,
  },
  {
    name: 'a tag where there is nothing stores nothing',
    given: withMail,
    request: { ...put(SHARED, { token: 'canary-4444-4444' }), headers: { 'if-match': '*' } },
    status: 412,
  },
  {
    name: 'the tag that was read is taken',
    given: withShared,
    request: async (hub) => ({
      ...put(SHARED, { token: 'canary-5555-5555' }),
      headers: { 'if-match': (await tell(hub, { method: 'GET', path: SHARED })).tag },
    }),
    status: 200,
    body: { version: 2 },
    events: [SAVED],
  },
  {
    name: 'it is forgotten',
    given: withShared,
    request: { method: 'DELETE', path: SHARED },
    status: 204,
    events: [{ type: 'credential.removed', connector: 'mail', owner: 'shared', actor: ADMIN }],
    after: async (hub) => expect(await hub.storage.credentials.list()).toEqual([]),
  },
  {
    name: 'what is not there cannot be forgotten',
    given: withMail,
    request: { method: 'DELETE', path: SHARED },
    status: 404,
  },
  {
    name: 'a stale tag forgets nothing',
    given: withShared,
    request: { method: 'DELETE', path: SHARED, headers: { 'if-match': '"9-x"' } },
    status: 412,
  },
  {
    name: 'what is not there cannot be read',
    given: withMail,
    request: { method: 'GET', path: SHARED },
    status: 404,
  },
  {
    name: 'one that stands in a file is told of',
    request: { method: 'GET', path: '/connectors/filed/credentials/shared' },
    status: 200,
    body: { set: true, last4: 'AAAA' },
  },
  {
    name: 'one that stands in a file is removed there',
    request: { method: 'DELETE', path: '/connectors/filed/credentials/shared' },
    status: 409,
  },
  {
    name: 'a connector of a file takes one too',
    request: put('/connectors/filed/credentials/shared', { token: 'canary-vault-token-6666' }),
    status: 201,
    body: { last4: '6666' },
    events: [{ type: 'credential.saved', connector: 'filed' }],
  },
  {
    name: 'a connector without authentication needs none',
    given: withNotes,
    request: put('/connectors/notes/credentials/shared', { token: 'canary-token' }),
    status: 409,
  },
  {
    name: 'a shared mode has none of agents',
    request: put('/connectors/filed/credentials/local', { token: 'canary-token' }),
    status: 409,
  },
  {
    name: 'OAuth credentials are not typed in',
    given: (hub) =>
      tell(hub, {
        method: 'POST',
        path: '/connectors',
        body: { id: 'mail', url: 'https://o.example/', auth: { type: 'oauth' } },
      }),
    request: put(SHARED, { token: 'canary-token' }),
    status: 409,
    body: { error: { code: 'not_supported' } },
  },
  {
    name: 'an agent that is not there has none',
    given: withMail,
    request: put('/connectors/mail/credentials/nobody', { token: 'canary-token' }),
    status: 404,
  },
  {
    name: 'a connector that is not there has none',
    request: put('/connectors/none/credentials/shared', { token: 'canary-token' }),
    status: 404,
  },
  ...HOSTILE_IDS.map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is no owner`,
    given: withMail,
    request: { method: 'GET', path: `/connectors/mail/credentials/${id}` },
    status: 404,
  })),
];

const firstSync: Scenario[] = [
  {
    name: 'the first one of an agent makes the hub look what there is',
    given: withMail,
    request: put(OF_LOCAL, { token: 'canary-local-token-7777' }),
    status: 201,
    body: { owner: 'local', set: true, sync: { state: 'done', tools: 1 } },
    events: [
      { ...SAVED, owner: 'local' },
      { type: 'connector.synced', connector: 'mail', listedAs: 'local', actor: ADMIN },
    ],
  },
  {
    name: 'a second one does not',
    given: async (hub) => (
      await withMail(hub),
      tell(hub, put(OF_LOCAL, { token: 'canary-local-token-7777' }))
    ),
    request: put('/connectors/mail/credentials/filed', { token: 'canary-filed-token-8888' }),
    status: 201,
    events: [{ ...SAVED, owner: 'filed' }],
    after: async (_hub, body) => expect(body).not.toHaveProperty('sync'),
  },
  {
    name: 'a sync that fails does not break it',
    given: async (hub) => {
      await withMail(hub);
      hub.upstreams.script('mail', {
        open: () => {
          throw new HubError('upstream_unavailable', 'nobody answers');
        },
      });
    },
    request: put(OF_LOCAL, { token: 'canary-local-token-7777' }),
    status: 201,
    body: { set: true, sync: { state: 'failed', code: 'upstream_unavailable' } },
    events: [
      SAVED,
      { type: 'connector.sync_failed', connector: 'mail' },
      { type: 'connector.health', connector: 'mail' },
    ],
    after: async (hub) =>
      expect(
        await hub.storage.credentials.find(toConnectorId('mail'), {
          kind: 'agent',
          agent: toAgentId('local'),
        }),
      ).toBeDefined(),
  },
  {
    name: 'a sync that hangs does not hold it up',
    given: async (hub) => {
      await withMail(hub);
      hub.upstreams.script('mail', {
        tools: [TOOLS.search],
        open: refuseAnonymous,
        list: () => new Promise(() => {}),
      });
    },
    request: put(OF_LOCAL, { token: 'canary-local-token-7777' }),
    status: 201,
    body: { sync: { state: 'running' } },
    events: [SAVED],
  },
];

export const CREDENTIAL_SCENARIOS = named('credentials', [...scenarios, ...firstSync]);

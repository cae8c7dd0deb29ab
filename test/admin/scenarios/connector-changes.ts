import { expect } from 'vitest';
import { toConnectorId } from '../../../src/kernel/index.js';
import { ask, withMail, withNotes } from '../../support/admin-hub.js';
import { ADMIN, HASH, named, tell, type Scenario } from '../scenario.js';
import { ADDED, CHANGED, operator, patchNotes, withBearer } from './connector-requests.js';

const changing: Scenario[] = [
  {
    name: 'a change keeps what it does not name',
    ...patchNotes({ name: 'Notes', limits: { concurrency: 3 }, toolTags: { search: ['risk:write'] } }),
    status: 200,
    body: {
      name: 'Notes',
      limits: { concurrency: 3, queue: 100 },
      url: 'https://notes.example/mcp',
      toolTags: { search: ['risk:write'] },
      version: 2,
    },
    headers: { etag: /^"2-/ },
    events: [CHANGED],
    after: async (hub) => expect(hub.upstreams.retired).toContain('notes'),
  },
  {
    name: 'enabled alone switches it off',
    ...patchNotes({ enabled: false }),
    status: 200,
    body: { enabled: false, health: { state: 'disabled' } },
    events: [CHANGED],
    after: async (hub) => {
      expect(hub.catalog.entries()).toEqual([]);
      expect(hub.upstreams.dropped).toEqual(['notes']);
    },
  },
  {
    name: 'switching off what is off changes nothing',
    given: async (hub) => (
      await withNotes(hub),
      tell(hub, { method: 'PATCH', path: '/connectors/notes', body: { enabled: false } })
    ),
    request: { method: 'PATCH', path: '/connectors/notes', body: { enabled: false } },
    status: 200,
    body: { version: 2 },
  },
  {
    name: 'a blank secret stays as it was',
    given: withBearer,
    request: {
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'N', auth: { type: 'bearer', token: '' } },
    },
    status: 200,
    body: { auth: { token: { set: true, last4: '1234' } } },
    events: [CHANGED],
  },
  {
    name: 'a new secret replaces the stored one',
    given: withBearer,
    request: {
      method: 'PATCH',
      path: '/connectors/notes',
      body: { auth: { token: 'canary-other-token-5678' } },
    },
    status: 200,
    body: { auth: { token: { set: true, last4: '5678' } } },
    events: [CHANGED, { type: 'credential.saved', owner: 'shared' }],
    after: async (hub) =>
      expect(
        (await hub.storage.credentials.find(toConnectorId('notes'), { kind: 'shared' }))?.values[
          'token'
        ]?.reveal(),
      ).toBe('canary-other-token-5678'),
  },
  {
    name: 'another kind of authentication forgets the credentials of before',
    given: withBearer,
    request: { method: 'PATCH', path: '/connectors/notes', body: { auth: { type: 'none' } } },
    status: 200,
    body: { auth: { type: 'none' }, credentialMode: 'none', credentials: [] },
    events: [CHANGED],
  },
  {
    name: 'http cannot become stdio',
    ...patchNotes({ transport: 'stdio', command: 'sh' }),
    status: 400,
    body: { error: { code: 'invalid_request' } },
  },
  {
    name: 'http cannot become stdio even where commands are allowed',
    options: { allowStdioFromApi: true },
    ...patchNotes({ type: 'stdio', command: 'sh' }),
    status: 400,
    body: { error: { details: { field: 'type' } } },
  },
  {
    name: 'a process keeps its command and the variables that are not named',
    options: { allowStdioFromApi: true },
    given: (hub) =>
      tell(hub, {
        method: 'POST',
        path: '/connectors',
        body: {
          id: 'notes',
          command: 'node',
          args: ['a', 'b'],
          env: { ONE: 'canary-one-1111', TWO: 'canary-two-2222', THREE: 'canary-three-3333' },
        },
      }),
    request: {
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'N', timeouts: { totalMs: 9 }, env: { ONE: '', TWO: null, FOUR: 'canary-four-4444' } },
    },
    status: 200,
    body: {
      name: 'N',
      command: 'node',
      argCount: 2,
      timeouts: { totalMs: 9 },
      env: { ONE: { last4: '1111' }, THREE: { last4: '3333' }, FOUR: { last4: '4444' } },
    },
    events: [CHANGED],
    after: async (_hub, body) =>
      expect(Object.keys((body as { env: object }).env)).toEqual(['ONE', 'THREE', 'FOUR']),
  },
  {
    name: 'http can become sse',
    ...patchNotes({ transport: 'sse' }),
    status: 200,
    body: { transport: 'sse' },
    events: [CHANGED],
  },
  {
    name: 'a private address needs leave in a change too',
    ...patchNotes({ url: 'http://10.0.0.1/mcp' }),
    status: 400,
    body: { error: { details: { field: 'url' } } },
  },
  {
    name: 'unknown fields of a change are refused',
    ...patchNotes({ id: 'other' }),
    status: 400,
    body: { error: { details: { field: 'id' } } },
  },
  {
    name: 'unknown fields of its authentication are refused',
    ...patchNotes({ auth: { type: 'bearer', password: 'canary' } }),
    status: 400,
  },
  {
    name: 'a configured one is changed in its file',
    request: { method: 'PATCH', path: '/connectors/filed', body: { name: 'x' } },
    status: 409,
    body: { error: { message: expect.stringContaining('configuration file') } },
  },
  {
    name: 'one of the environment is changed there',
    request: { method: 'PATCH', path: '/connectors/child', body: { enabled: false } },
    status: 409,
    body: { error: { message: expect.stringContaining('environment') } },
  },
  {
    name: 'a built-in one cannot be changed',
    request: { method: 'DELETE', path: '/connectors/sample' },
    status: 409,
    body: { error: { message: expect.stringContaining('built in') } },
  },
  {
    name: 'B4.8: a stale tag changes nothing',
    given: withNotes,
    request: {
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'x' },
      headers: { 'if-match': '"0-stale"' },
    },
    status: 412,
    body: { error: { code: 'precondition_failed' } },
  },
  {
    name: 'the tag that was read is taken',
    given: withNotes,
    request: async (hub) => ({
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'x' },
      headers: { 'if-match': (await tell(hub, { method: 'GET', path: '/connectors/notes' })).tag },
    }),
    status: 200,
    body: { name: 'x' },
    events: [CHANGED],
  },
  {
    name: 'any tag will do for *',
    given: withNotes,
    request: {
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'x' },
      headers: { 'if-match': '*' },
    },
    status: 200,
    events: [CHANGED],
  },
  {
    name: 'who is no owner may not point credentials elsewhere',
    options: { authenticateAdmin: operator },
    given: withBearer,
    request: { method: 'PATCH', path: '/connectors/notes', body: { url: 'https://evil.example/mcp' } },
    status: 403,
  },
];

const removing: Scenario[] = [
  {
    name: 'B4.9: a connector is removed with all that belongs to it',
    given: async (hub) => (
      await withNotes(hub),
      tell(hub, {
        method: 'PATCH',
        path: '/connectors/notes',
        body: { auth: { type: 'bearer', token: 'canary-token-1234' } },
      })
    ),
    request: { method: 'DELETE', path: '/connectors/notes' },
    status: 204,
    events: [{ type: 'connector.removed', connector: 'notes', actor: ADMIN, before: HASH, after: HASH }],
    after: async (hub) => {
      expect(await hub.storage.connectors.list()).toEqual([]);
      expect(await hub.storage.credentials.list()).toEqual([]);
      expect(await hub.storage.snapshots.latestOfAll()).toEqual([]);
      expect(hub.catalog.entries()).toEqual([]);
    },
  },
  {
    name: 'a stale tag removes nothing',
    given: withNotes,
    request: { method: 'DELETE', path: '/connectors/notes', headers: { 'if-match': '"7-x"' } },
    status: 412,
    after: async (hub) => expect(await hub.storage.connectors.list()).toHaveLength(1),
  },
  {
    name: 'what is not there cannot be removed',
    request: { method: 'DELETE', path: '/connectors/none' },
    status: 404,
    body: { error: { code: 'not_found' } },
  },
  {
    name: 'what an earlier connector left is not given to a new one of its name',
    given: async (hub) => {
      await withMail(hub);
      await tell(hub, {
        method: 'PUT',
        path: '/connectors/mail/credentials/shared',
        body: { token: 'canary-left-behind' },
      });
      await hub.storage.connectors.remove(toConnectorId('mail'));
    },
    request: {
      method: 'POST',
      path: '/connectors',
      body: { id: 'mail', url: 'https://evil.example/', auth: { type: 'bearer' } },
    },
    status: 201,
    body: { auth: { token: { set: false } }, credentials: [] },
    events: [ADDED],
  },
];

const together: Scenario[] = [
  {
    name: 'the address as it was shown is no change of it',
    given: (hub) =>
      tell(hub, {
        method: 'POST',
        path: '/connectors',
        body: { id: 'notes', url: 'https://notes.example/mcp?key=canary-key' },
      }),
    request: async (hub) => ({
      method: 'PATCH',
      path: '/connectors/notes',
      body: { name: 'N', url: (await tell(hub, { method: 'GET', path: '/connectors/notes' })).body['url'] },
    }),
    status: 200,
    body: { url: 'https://notes.example/mcp?key=***' },
    events: [CHANGED],
    after: async (hub) =>
      expect((await hub.storage.connectors.find(toConnectorId('notes')))?.endpoint).toMatchObject({
        url: 'https://notes.example/mcp?key=canary-key',
      }),
  },
  {
    name: 'A-8: of two changes at once with one tag one wins',
    given: withNotes,
    request: async (hub) => {
      const { tag } = await tell(hub, { method: 'GET', path: '/connectors/notes' });
      const change = (name: string) =>
        ask(hub, {
          method: 'PATCH',
          path: '/connectors/notes',
          body: { name },
          headers: { 'if-match': tag },
        });
      const removal = ask(hub, { method: 'DELETE', path: '/connectors/notes', headers: { 'if-match': tag } });
      const statuses = (await Promise.all([change('a'), change('b'), removal])).map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
      expect(statuses.filter((status) => status === 412 || status === 404)).toHaveLength(2);
      return { method: 'GET', path: '/status' };
    },
    status: 200,
  },
];

export const CONNECTOR_CHANGES = named('connectors', [...changing, ...removing, ...together]);

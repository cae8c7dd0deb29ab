import { expect } from 'vitest';
import { withNotes, type AdminHub } from '../../support/admin-hub.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const PERMIT = 'permit(principal == Agent::"filed", action, resource in Connector::"notes");';
const CHANGED = { type: 'policy.changed', policy: 'team', actor: ADMIN, before: HASH, after: HASH };
const put = (text: string) => ({ method: 'PUT', path: '/policies/team', body: { text } }) as const;
const explain = (body: object) => ({ method: 'POST', path: '/policies/explain', body }) as const;

async function withTeam(hub: AdminHub): Promise<void> {
  await withNotes(hub);
  await tell(hub, put(PERMIT));
}

async function seenByFiled(hub: AdminHub): Promise<number> {
  return ((await tell(hub, { method: 'GET', path: '/tools?agent=filed' })).body['items'] as unknown[]).length;
}

const scenarios: Scenario[] = [
  {
    name: 'one is added and in force at once',
    given: withNotes,
    request: { method: 'POST', path: '/policies', body: { id: 'team', text: PERMIT } },
    status: 201,
    body: { id: 'team', text: PERMIT, source: 'stored', readOnly: false, version: 1 },
    headers: { etag: /^"1-/ },
    events: [{ ...CHANGED, version: 1 }],
    after: async (hub) => (expect(await seenByFiled(hub)).toBe(2), expect(hub.signals.policies).toBe(1)),
  },
  {
    name: 'a second of its name is a conflict',
    given: withTeam,
    request: { method: 'POST', path: '/policies', body: { id: 'team', text: PERMIT } },
    status: 409,
  },
  {
    name: 'one is put',
    given: withNotes,
    request: put(PERMIT),
    status: 201,
    body: { version: 1 },
    events: [CHANGED],
  },
  {
    name: 'one is replaced',
    given: withTeam,
    request: put('forbid(principal, action, resource);'),
    status: 200,
    body: { version: 2 },
    headers: { etag: /^"2-/ },
    events: [{ ...CHANGED, version: 2 }],
    after: async (hub) => expect(await seenByFiled(hub)).toBe(0),
  },
  {
    name: 'one that cannot be read is refused, and the old set stays in force',
    given: withTeam,
    request: put('permit(principal, action resource);'),
    status: 400,
    body: {
      error: {
        code: 'invalid_request',
        details: { field: 'text', policy: 'team', errors: [expect.any(String)] },
      },
    },
    after: async (hub) => (
      expect(await seenByFiled(hub)).toBe(2),
      expect((await hub.storage.policies.list())[0]).toMatchObject({ text: PERMIT, version: 1 })
    ),
  },
  ...['\0', '\ud83d', '\ude00 '].map((character): Scenario => ({
    name: `one with ${JSON.stringify(character)} in it is refused`,
    given: withTeam,
    request: put(`// ${character}\n${PERMIT}`),
    status: 400,
    body: { error: { code: 'invalid_request', details: { field: 'text' } } },
  })),
  {
    name: 'one that does not fit the schema is refused',
    given: withTeam,
    request: put('permit(principal, action, resource) when { principal.password == "x" };'),
    status: 400,
    body: { error: { details: { errors: [expect.stringContaining('password')] } } },
  },
  {
    name: 'templates are refused',
    request: put('permit(principal == ?principal, action, resource);'),
    status: 400,
  },
  {
    name: 'a stale tag replaces nothing',
    given: withTeam,
    request: { ...put(PERMIT), headers: { 'if-match': '"9-x"' } },
    status: 412,
  },
  {
    name: 'a tag where there is nothing replaces nothing',
    request: { ...put(PERMIT), headers: { 'if-match': '*' } },
    status: 412,
  },
  {
    name: 'the tag that was read is taken',
    given: withTeam,
    request: async (hub) => ({
      ...put(PERMIT),
      headers: { 'if-match': `"x", ${(await tell(hub, { method: 'GET', path: '/policies/team' })).tag}` },
    }),
    status: 200,
    events: [CHANGED],
  },
  {
    name: 'all, in order',
    given: withTeam,
    request: { method: 'GET', path: '/policies' },
    status: 200,
    body: {
      items: [
        { id: 'from-file', readOnly: true, source: 'file' },
        { id: 'starter', source: 'built_in' },
        { id: 'team' },
      ],
    },
  },
  {
    name: 'a page of them',
    request: { method: 'GET', path: '/policies?limit=1' },
    status: 200,
    body: { items: [{ id: 'from-file' }], nextCursor: expect.any(String) },
  },
  {
    name: 'A-7: too large a page is refused',
    request: { method: 'GET', path: '/policies?limit=1000' },
    status: 400,
  },
  {
    name: 'one of them',
    given: withTeam,
    request: { method: 'GET', path: '/policies/team' },
    status: 200,
    body: { text: PERMIT },
  },
  {
    name: 'one is removed',
    given: withTeam,
    request: { method: 'DELETE', path: '/policies/team' },
    status: 204,
    events: [CHANGED],
    after: async (hub) => expect(await seenByFiled(hub)).toBe(0),
  },
  {
    name: 'a stale tag removes nothing',
    given: withTeam,
    request: { method: 'DELETE', path: '/policies/team', headers: { 'if-match': '"9-x"' } },
    status: 412,
  },
  {
    name: 'what is not there cannot be removed',
    request: { method: 'DELETE', path: '/policies/none' },
    status: 404,
  },
  {
    name: 'one of a file is changed there',
    request: { method: 'PUT', path: '/policies/from-file', body: { text: PERMIT } },
    status: 409,
  },
  {
    name: 'one of a file is removed there',
    request: { method: 'DELETE', path: '/policies/from-file' },
    status: 409,
  },
  {
    name: 'the starter cannot be replaced unnoticed',
    request: { method: 'PUT', path: '/policies/starter', body: { text: PERMIT } },
    status: 409,
  },
  {
    name: 'A-3: nothing else is taken',
    request: { method: 'PUT', path: '/policies/team', body: { text: PERMIT, version: 9 } },
    status: 400,
  },
  {
    name: 'an id must be a name',
    request: { method: 'POST', path: '/policies', body: { id: 'a/b', text: PERMIT } },
    status: 400,
  },
  {
    name: 'a text is needed',
    request: { method: 'PUT', path: '/policies/team', body: { text: '' } },
    status: 400,
  },
  ...HOSTILE_IDS.filter((id) => id !== 'constructor').map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is no policy`,
    request: { method: 'PUT', path: `/policies/${id}`, body: { text: PERMIT } },
    status: 404,
  })),
];

const explaining: Scenario[] = [
  {
    name: 'a permit is explained',
    given: withTeam,
    request: explain({ agent: 'filed', tool: 'notes__search', arguments: { query: 'x' } }),
    status: 200,
    body: {
      decision: 'allow',
      policies: ['team/1'],
      reason: 'permitted by team/1',
      listed: true,
      connector: 'notes',
      tool: 'search',
      exposedName: 'notes__search',
      risk: 'read',
      tags: [],
    },
  },
  {
    name: 'so is that nothing permits it',
    given: withNotes,
    request: explain({ agent: 'filed', tool: 'notes__erase' }),
    status: 200,
    body: { decision: 'deny', policies: [], listed: false, risk: 'destructive' },
  },
  {
    name: 'arguments count, and a tool may be listed whose call is denied',
    given: async (hub) => (
      await withTeam(hub),
      tell(hub, {
        method: 'PUT',
        path: '/policies/words',
        body: {
          text: '@id("no-secrets") forbid(principal, action == Action::"call", resource) when { context has args && context.args.hasTag("query") && context.args.getTag("query") like "*secret*" };',
        },
      })
    ),
    request: explain({ agent: 'filed', tool: 'notes__search', arguments: { query: 'a secret' } }),
    status: 200,
    body: {
      decision: 'deny',
      policies: ['words/no-secrets'],
      reason: 'forbidden by words/no-secrets',
      listed: true,
    },
  },
  {
    name: 'confirmation is a decision of its own',
    given: async (hub) => (await withNotes(hub), tell(hub, put(`@confirm("Sure?") ${PERMIT}`))),
    request: explain({ agent: 'filed', tool: 'notes__erase' }),
    status: 200,
    body: { decision: 'confirm', reason: 'Sure?', listed: true },
  },
  {
    name: 'tags of the operator count',
    given: async (hub) => (
      await withTeam(hub),
      tell(hub, {
        method: 'PATCH',
        path: '/connectors/notes',
        body: { tags: ['office'], toolTags: { erase: ['risk:read'] } },
      })
    ),
    request: explain({ agent: 'filed', tool: 'notes__erase' }),
    status: 200,
    body: { risk: 'read', tags: ['office', 'risk:read'] },
  },
  {
    name: 'a tool may be named as policies name it',
    given: withTeam,
    request: explain({ agent: 'filed', tool: 'notes/search' }),
    status: 200,
    body: { exposedName: 'notes__search' },
  },
  {
    name: 'an unknown tool is unknown',
    given: withTeam,
    request: explain({ agent: 'filed', tool: 'notes__none' }),
    status: 404,
    body: { error: { code: 'unknown_tool' } },
  },
  {
    name: 'an unknown connector is unknown',
    given: withTeam,
    request: explain({ agent: 'filed', tool: 'none/search' }),
    status: 404,
  },
  {
    name: 'an unknown agent is unknown',
    given: withTeam,
    request: explain({ agent: 'none', tool: 'notes__search' }),
    status: 404,
  },
  { name: 'an agent is needed', given: withTeam, request: explain({ tool: 'notes__search' }), status: 400 },
  {
    name: 'nothing is called by asking',
    given: withTeam,
    request: explain({ agent: 'local', tool: 'notes__search', arguments: { query: 'x' } }),
    status: 200,
    after: async (hub) => expect(hub.upstreams.calls).toEqual([]),
  },
];

export const POLICY_SCENARIOS = named('policies', [...scenarios, ...explaining]);

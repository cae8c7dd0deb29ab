import { expect } from 'vitest';
import { POLICY_SCHEMA } from '../../../src/governance/index.js';
import { withNotes, type AdminHub } from '../../support/admin-hub.js';
import { ADMIN, HASH, named, tell, type Scenario } from '../scenario.js';

const PERMIT = 'permit(principal == Agent::"filed", action, resource in Connector::"notes");';
const CHANGED = { type: 'policy.changed', policy: 'team', actor: ADMIN, before: HASH, after: HASH };
const put = (text: string) => ({ method: 'PUT', path: '/policies/team', body: { text } }) as const;

async function withTeam(hub: AdminHub): Promise<void> {
  await withNotes(hub);
  await tell(hub, put(PERMIT));
}

async function seenByFiled(hub: AdminHub): Promise<number> {
  return ((await tell(hub, { method: 'GET', path: '/tools?agent=filed' })).body['items'] as unknown[]).length;
}

async function withHistory(hub: AdminHub): Promise<void> {
  await withTeam(hub);
  await tell(hub, put('forbid(principal, action, resource);'));
  await tell(hub, { method: 'DELETE', path: '/policies/team' });
}

const GET = { method: 'GET' } as const;
const restore = (version: number | string) =>
  ({ method: 'POST', path: `/policies/team/versions/${version}/restore` }) as const;

const history: Scenario[] = [
  {
    name: 'every version is kept with who and when, the removal too',
    given: withHistory,
    request: { ...GET, path: '/policies/team/versions' },
    status: 200,
    body: {
      items: [
        { version: 3, by: 'admin', removed: true, at: expect.stringMatching(/Z$/) },
        { version: 2, by: 'admin', removed: false },
        { version: 1, by: 'admin', removed: false },
      ],
    },
  },
  {
    name: 'a page of versions, and the next',
    given: withHistory,
    request: { ...GET, path: '/policies/team/versions?limit=2' },
    status: 200,
    body: { items: [{ version: 3 }, { version: 2 }], nextCursor: expect.any(String) },
    after: async (hub, body) => {
      const { nextCursor } = body as { nextCursor: string };
      const path = `/policies/team/versions?limit=2&cursor=${nextCursor}`;
      expect((await tell(hub, { ...GET, path })).body).toMatchObject({ items: [{ version: 1 }] });
    },
  },
  {
    name: 'what it said in one',
    given: withHistory,
    request: { ...GET, path: '/policies/team/versions/1' },
    status: 200,
    body: { policy: 'team', version: 1, text: PERMIT },
  },
  ...['9', '-1', 'x', '1e0', '%00'].map((version): Scenario => ({
    name: `there is no version ${version}`,
    given: withHistory,
    request: { ...GET, path: `/policies/team/versions/${version}` },
    status: 404,
  })),
  { name: 'of nothing', request: { ...GET, path: '/policies/none/versions' }, status: 404 },
  {
    name: 'of one in a file there are none',
    request: { ...GET, path: '/policies/from-file/versions' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'a removed one is listed as such',
    given: withHistory,
    request: { ...GET, path: '/removed-policies' },
    status: 200,
    body: { items: [{ policy: 'team', version: 3, removed: true }] },
  },
  {
    name: 'a removed one is restored, in force at once, and counts on',
    given: withHistory,
    request: restore(1),
    status: 200,
    body: { id: 'team', text: PERMIT, version: 4 },
    events: [{ ...CHANGED, version: 4 }],
    after: async (hub) => {
      expect(await seenByFiled(hub)).toBe(2);
      expect((await tell(hub, { ...GET, path: '/removed-policies' })).body).toEqual({ items: [] });
    },
  },
  {
    name: 'a version before is restored as a new one',
    given: async (hub) => (await withTeam(hub), tell(hub, put('forbid(principal, action, resource);'))),
    request: restore(1),
    status: 200,
    body: { text: PERMIT, version: 3 },
    events: [{ ...CHANGED, version: 3 }],
  },
  { name: 'a removal cannot be restored', given: withHistory, request: restore(3), status: 409 },
  { name: 'nothing is restored from nothing', given: withHistory, request: restore(9), status: 404 },
  {
    name: 'a stale tag restores nothing',
    given: withTeam,
    request: { ...restore(1), headers: { 'if-match': '"9-x"' } },
    status: 412,
  },
];

const checking: Scenario[] = [
  {
    name: 'what is wrong with a text is told with its place',
    request: {
      method: 'POST',
      path: '/policies/check',
      body: { text: 'permit(principal,\n  action resource);' },
    },
    status: 200,
    body: {
      problems: [{ severity: 'error', place: { line: 2, column: 10, endLine: 2, endColumn: 18 } }],
    },
  },
  {
    name: 'nothing is wrong with a good one',
    request: { method: 'POST', path: '/policies/check', body: { text: PERMIT } },
    status: 200,
    body: { problems: [] },
  },
  {
    name: 'the schema is the one that counts',
    request: { ...GET, path: '/policy-schema' },
    status: 200,
    body: { schema: POLICY_SCHEMA },
  },
];

export const POLICY_HISTORY_SCENARIOS = named('policies', [...history, ...checking]);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, openAdminHub, withNotes, type AdminHub, type Asked } from '../support/admin-hub.js';
import { expectCommonFace, tell } from './scenario.js';

/** Answers of many lines: what was asked for, as it becomes known. */

let hub: AdminHub;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  hub = await openAdminHub();
  await withNotes(hub);
  for (const role of ['viewer', 'operator']) {
    const { body } = await tell(hub, { method: 'POST', path: '/admins', body: { id: role, role } });
    tokens[role] = String(body['token']);
  }
  await tell(hub, { method: 'POST', path: '/tools/call', body: { agent: 'local', name: 'notes__erase' } });
});
afterAll(() => hub?.close());

async function linesOf(asked: Asked): Promise<Record<string, unknown>[]> {
  const response = await ask(hub, asked);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  expectCommonFace(response, text);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const types = (lines: readonly Record<string, unknown>[]) => lines.map(({ type }) => type);
const exported = (query = '', token?: string) =>
  ({ method: 'GET', path: `/events/export${query}`, ...(token !== undefined && { token }) }) as const;

test('A-11: an export is the whole log, oldest first, and is itself recorded', async () => {
  const before = (await hub.recorded()).length;
  const lines = await linesOf(exported('', tokens['operator']));
  expect(lines.map(({ sequence }) => sequence)).toEqual(Array.from({ length: before }, (_, i) => i + 1));
  expect((await hub.recorded()).at(-1)).toMatchObject({
    actor: { kind: 'admin', id: 'operator' },
    event: { type: 'events.exported', filters: {}, upTo: before },
  });
});

test('A-11: filters narrow it, and are recorded', async () => {
  expect(types(await linesOf(exported('?tool=notes__erase')))).toEqual(['call.intended', 'call.finished']);
  expect((await hub.recorded()).at(-1)?.event).toMatchObject({ filters: { tool: 'notes__erase' } });
  expect(await linesOf(exported('?tool=notes__'))).toEqual([]);
});

test('A-11: a viewer gets none, and nothing is recorded of a look at the headers', async () => {
  const before = (await hub.recorded()).length;
  expect((await ask(hub, exported('', tokens['viewer']))).status).toBe(403);
  expect((await ask(hub, { ...exported(), method: 'HEAD' })).status).toBe(200);
  expect(await hub.recorded()).toHaveLength(before);
});

test('A-11: no more of the log is read than the client takes, and few are made at a time', async () => {
  const { events } = hub.storage;
  const query = events.query.bind(events);
  let asked = 0;
  events.query = (wanted) => {
    if (wanted.limit === 500) asked++;
    return query(wanted);
  };
  const leave = new AbortController();
  const open = await Promise.all(
    Array.from({ length: 4 }, async () =>
      hub.app.request('/api/v1/events/export', {
        headers: { authorization: `Bearer ${tokens['operator']}` },
        signal: leave.signal,
      }),
    ),
  );
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(asked).toBe(0);
  const refused = await ask(hub, exported());
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'overloaded' } }]);
  await open[0]?.text();
  expect(asked).toBe(1);
  leave.abort();
  for (const response of open.slice(1)) await response.body?.cancel().catch(() => {});
  events.query = query;
  expect(await linesOf(exported('?type=hub.started'))).toEqual([]);
});

const check = (body: object, role = 'operator') =>
  ({
    method: 'POST',
    path: '/connectors/check',
    body: { id: 'new', url: 'https://new.example/mcp', ...body },
    token: tokens[role] as string,
  }) as const;

test('a connector that is not added is tried step by step, and nothing of it stays', async () => {
  const before = await hub.recorded();
  const lines = await linesOf(check({ auth: { type: 'bearer', token: 'canary-token' } }));
  expect(lines).toEqual([
    { step: 'dns', state: 'ok', detail: 'found' },
    { step: 'tcp', state: 'failed', detail: 'closed', advice: 'open it' },
  ]);
  expect(await hub.recorded()).toEqual(before);
  expect(await hub.storage.connectors.find('new' as never)).toBeUndefined();
});

test.each([
  ['a viewer', {}, 'viewer', 403],
  ['an operator, into a private network', { allowPrivateNetwork: true }, 'operator', 403],
  ['an operator, with a command', { url: undefined, command: 'sh' }, 'operator', 400],
  ['an address that is none', { url: 'nowhere' }, 'operator', 400],
])('what could not be added is not tried: %s', async (_, body, role, status) => {
  const response = await ask(hub, check(body, role));
  expect(response.status).toBe(status);
  expectCommonFace(response, await response.text());
});

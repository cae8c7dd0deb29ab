import { afterEach, beforeEach, expect, test } from 'vitest';
import { toConnectorId } from '../../src/kernel/index.js';
import { ask, openAdminHub, TOOLS, withMail, withNotes, type AdminHub } from '../support/admin-hub.js';
import { tell } from './scenario.js';

let hub: AdminHub;
beforeEach(async () => {
  hub = await openAdminHub();
});
afterEach(() => hub.close());

/** A sync of `notes` that waits in the middle of its listing. */
async function slowSync() {
  await withNotes(hub);
  let release: () => void = () => {};
  const listing = new Promise<void>((begun) => {
    hub.upstreams.script('notes', {
      tools: [TOOLS.search],
      list: () => {
        begun();
        return new Promise<void>((resolve) => (release = resolve));
      },
    });
  });
  const sync = ask(hub, { method: 'POST', path: '/connectors/notes/sync' });
  await listing;
  return { sync, finish: () => release() };
}

test('a connector that is removed while it is asked stays removed', async () => {
  const { sync, finish } = await slowSync();
  await tell(hub, { method: 'DELETE', path: '/connectors/notes' });
  finish();
  expect((await sync).status).toBe(409);
  expect(hub.catalog.has('notes')).toBe(false);
  expect(hub.catalog.entries()).toEqual([]);
});

test('a connector that is changed while it is asked keeps the change', async () => {
  const { sync, finish } = await slowSync();
  await tell(hub, { method: 'PATCH', path: '/connectors/notes', body: { url: 'https://other.example/mcp' } });
  finish();
  expect((await sync).status).toBe(409);
  expect(hub.catalog.entries().map(({ connector }) => connector.endpoint)).toMatchObject([
    { url: 'https://other.example/mcp' },
  ]);
  expect(hub.catalog.entries()[0]?.snapshot.tools).toHaveLength(2);
});

test('a sync leaves conversations alone where nothing changed', async () => {
  await withNotes(hub);
  const before = hub.catalog.entries()[0]?.connector;
  await tell(hub, { method: 'POST', path: '/connectors/notes/sync' });
  expect(hub.catalog.entries()[0]?.connector).toBe(before);
});

test('no credential is kept for an agent or a connector that goes at the same time', async () => {
  await withMail(hub);
  await tell(hub, { method: 'POST', path: '/agents', body: { id: 'ci' } });
  const save = (owner: string) =>
    ask(hub, {
      method: 'PUT',
      path: `/connectors/mail/credentials/${owner}`,
      body: { token: 'canary-race-token' },
    });
  await Promise.all([save('ci'), ask(hub, { method: 'DELETE', path: '/agents/ci' }), save('ci')]);
  expect(await hub.storage.credentials.list()).toEqual([]);
  await Promise.all([
    save('shared'),
    ask(hub, { method: 'DELETE', path: '/connectors/mail' }),
    save('shared'),
  ]);
  expect(await hub.storage.credentials.list()).toEqual([]);
});

test('of many changes of policies at once all are in force and kept', async () => {
  await withNotes(hub);
  const put = (name: string) =>
    ask(hub, {
      method: 'PUT',
      path: `/policies/${name}`,
      body: { text: `permit(principal == Agent::"${name}", action, resource);` },
    });
  const statuses = (await Promise.all(['a', 'b', 'c', 'd'].map(put))).map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 201, 201]);
  for (const id of ['a', 'b', 'c', 'd']) {
    await tell(hub, { method: 'POST', path: '/agents', body: { id } });
    expect((await tell(hub, { method: 'GET', path: `/tools?agent=${id}` })).body['items']).toHaveLength(2);
  }
});

test('changes without a tag follow each other and none is lost', async () => {
  await withNotes(hub);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const statuses = (
    await Promise.all(
      names.map((name) =>
        ask(hub, { method: 'PATCH', path: '/connectors/notes', body: { toolTags: { [name]: ['x'] } } }),
      ),
    )
  ).map(({ status }) => status);
  expect(statuses).toEqual(names.map(() => 200));
  const stored = await hub.storage.connectors.find(toConnectorId('notes'));
  expect(Object.keys(stored?.toolTags ?? {})).toEqual(names);
});

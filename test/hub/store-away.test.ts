import { expect, test, vi } from 'vitest';
import { HubError } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** A store that cannot be read for a moment, just after something was changed in it. */

const keep = closeAfterEach();

test('a connector is taken up also where the store is away right after it was added', async () => {
  const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
  const hub = keep(await startTestHub({ config: {} }));
  const { connectors } = hub.running.hub;
  const list = vi.spyOn(connectors, 'list');
  list.mockRejectedValueOnce(new HubError('storage_unavailable', 'not now'));
  const added = await admin(hub, 'POST', '/connectors', {
    id: 'late',
    url: upstream.url,
    allowPrivateNetwork: true,
  });
  expect(added.status).toBe(201);
  await waitForSync(hub, 'late');
  expect(list.mock.calls.length).toBeGreaterThan(1);
});

test('a connector that was stored, and its token not, counts without it', async () => {
  const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
  const hub = keep(await startTestHub({ config: {} }));
  const save = vi.spyOn(hub.running.hub.storage.credentials, 'save');
  save.mockRejectedValue(new HubError('storage_unavailable', 'not now'));
  const auth = { type: 'bearer', token: 'a-token-0123456789' };
  const added = { id: 'half', url: upstream.url, allowPrivateNetwork: true, auth };
  expect((await admin(hub, 'POST', '/connectors', added)).status).toBe(503);
  await waitForSync(hub, 'half');
  const change = { name: 'Other', auth: { token: 'another-0123456789' } };
  expect((await admin(hub, 'PATCH', '/connectors/half', change)).status).toBe(503);
  const known = hub.running.hub.catalog.connectors().find(({ id }) => id === 'half');
  expect(known).toMatchObject({ name: 'Other', version: 2 });
  save.mockRestore();
  expect((await admin(hub, 'PATCH', '/connectors/half', change)).status).toBe(200);
  expect((await admin(hub, 'GET', '/connectors/half/credentials/shared')).status).toBe(200);
});

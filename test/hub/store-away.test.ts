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

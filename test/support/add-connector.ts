import { expect } from 'vitest';
import { admin } from './admin.js';
import { waitForSync, type TestHub } from './start-hub.js';

/** Through the admin API, as the console adds one; it has been synced by then. */
export async function addConnector(hub: TestHub, id: string, url: string, more: object = {}): Promise<void> {
  const body = { id, name: id, url, allowPrivateNetwork: true, ...more };
  expect((await admin(hub, 'POST', '/connectors', body)).status).toBe(201);
  await waitForSync(hub, id);
}

import { expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { startBalancer } from '../support/balancer.js';
import {
  answerConsent,
  authorize,
  callWith,
  exchange,
  openConsent,
  refresh,
  registeredClient,
  signIn,
  startAuthorization,
} from '../support/oauth-client.js';
import { createSharedPlace, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import type { TestHub } from '../support/start-hub.js';

/** Clients that get tokens from the hub itself, where each request may reach another replica. */

const KEY = 'ci-key-0123456789abcdef';
const servers = useSharedServers();
const keep = closeAfterEach();

async function startBehindBalancer() {
  const place = keep(await createSharedPlace(servers()));
  const balancer = keep(await startBalancer([]));
  const config = { server: { publicUrl: balancer.url }, agents: { ci: { keys: [KEY] } } };
  const hubs: TestHub[] = [];
  for (let index = 0; index < 3; index++) hubs.push(keep(await place.start(config)));
  balancer.targets = hubs.map(({ running }) => running.localUrl);
  return { balancer, hubs, front: { ...hubs[0]!, url: balancer.url } };
}

test('tokens are got, used, renewed and taken back wherever the requests go', async () => {
  const { front } = await startBehindBalancer();
  const clientId = await registeredClient(front);
  const browser = await signIn(front, KEY);
  const tokens = await authorize(front, browser, { clientId });
  const renewed = await refresh(front, clientId, tokens.refresh_token);
  expect(renewed.status).toBe(200);
  const { access_token: access, refresh_token: next } = renewed.body as Record<string, string>;
  for (let index = 0; index < 3; index++) expect((await callWith(front, access)).status).toBe(200);
  // One renewal of each token, however many ask at once.
  const raced = await Promise.all(Array.from({ length: 3 }, () => refresh(front, clientId, next)));
  expect(raced.filter(({ status }) => status === 200)).toHaveLength(1);
  const { body } = await admin(front, 'GET', '/clients');
  const [client] = (body as { items: { id: string }[] }).items;
  expect((await admin(front, 'DELETE', `/clients/${client?.id}`)).status).toBeLessThan(300);
  for (let index = 0; index < 3; index++) expect((await callWith(front, access)).status).toBe(401);
}, 120_000);

test('a sign-in goes on when the replica where it began is gone', async () => {
  const { front, hubs, balancer } = await startBehindBalancer();
  const clientId = await registeredClient(front);
  const browser = await signIn(front, KEY);
  const started = startAuthorization(front, { clientId });
  const { page } = await openConsent(front, browser, started);
  await hubs[0]?.close();
  balancer.targets = balancer.targets.slice(1);
  const callback = await answerConsent(front, browser, page);
  expect((await exchange(front, started, callback)).status).toBe(200);
}, 120_000);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { Secret, toConnectorId } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { useSharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import {
  CLIENT_ID,
  expiredAccount,
  startGuardedUpstream,
  startRotatingAuthority,
  type RotatingAuthority,
} from '../support/rotating-authority.js';
import { RovingClient } from '../support/roving-client.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';
import { waitForSync, type TestHub } from '../support/start-hub.js';

/** Two workers on one SQLite store: what is one for both. */

const place = useSharedPlace('on SQLite as workers');
const keep = closeAfterEach();
const hubs: TestHub[] = [];
let upstream: AskingUpstream;
let guarded: ScriptedUpstream;
let authority: RotatingAuthority;

beforeAll(async () => {
  upstream = await startAskingUpstream('legacy');
  authority = await startRotatingAuthority();
  guarded = await startGuardedUpstream(authority);
  const auth = { type: 'oauth', issuer: authority.issuer, clientId: CLIENT_ID, clientAuth: 'none' };
  const connectors = { remote: { url: upstream.url }, guarded: { url: guarded.url, auth } };
  const limits = { perTool: { perSecond: 50, burst: 100 } };
  for (let index = 0; index < 2; index++) hubs.push(await place().start({ connectors, limits }));
  for (const hub of hubs) for (const id of Object.keys(connectors)) await waitForSync(hub, id);
}, 60_000);

afterAll(async () => {
  for (const hub of hubs) await hub.close();
  for (const each of [upstream, guarded, authority]) await each?.close();
}, 60_000);

async function roving(): Promise<RovingClient> {
  const client = new RovingClient(
    hubs.map(({ url }) => url),
    hubs[0]!.localKey,
  );
  return keep(await client.initialize(0, 1));
}

test('a rate limit, what is counted, and the chain of events', async () => {
  const client = await roving();
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 160 }, (_, index) =>
      client.request(index, 'tools/call', { name: 'remote__echo', arguments: { label: 'limited' } }),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const made = answers.filter(
    ({ message: { result, error } }) => error === undefined && result?.isError !== true,
  ).length;
  // A hundred at once and fifty a second; each worker may sit on a lease of ten.
  expect(made).toBeGreaterThanOrEqual(80);
  expect(made).toBeLessThanOrEqual(101 + seconds * 50);
  for (const hub of hubs) {
    const { body } = await admin(hub, 'GET', '/statistics');
    expect(body['total']).toMatchObject({ calls: 160 });
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
  }
});

test('the renewal of a token, however many calls at both need it', async () => {
  const family = authority.createFamily();
  await hubs[0]!.running.hub.storage.credentials.save(
    expiredAccount(authority, family, { connector: 'guarded', url: guarded.url }),
  );
  const client = await roving();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) => client.request(at, 'tools/call', { name: 'guarded__echo' })),
  );
  expect(answers.map(({ message }) => message.result?.isError ?? message.error)).toEqual(
    answers.map(() => undefined),
  );
  expect(family).toMatchObject({ tokenCalls: 1, isRevoked: false });
});

test('the master key: one that is made at one worker seals and opens at the other', async () => {
  const [one, two] = hubs as [TestHub, TestHub];
  const rotated = await admin(one, 'POST', '/master-key/rotate');
  expect(rotated.body).toMatchObject({ retired: [], unreadable: 0 });
  const { active } = rotated.body;
  expect((await admin(two, 'GET', '/master-key')).body).toMatchObject({ active, retired: [] });
  const find = ({ running }: TestHub) =>
    running.hub.storage.credentials.find(toConnectorId('guarded'), { kind: 'shared' });
  const found = await find(two);
  expect(found?.values['access_token']?.reveal()).toBeDefined();
  await two.running.hub.storage.credentials.save({
    ...found!,
    values: { access_token: new Secret('later') },
  });
  expect((await find(one))?.values['access_token']?.reveal()).toBe('later');
});

test('a policy changed at one counts at the other, which also shows the event to whoever follows', async () => {
  const [one, two] = hubs as [TestHub, TestHub];
  const stream = await fetch(`${two.url}/api/v1/events/stream?type=policy.changed`, {
    headers: { authorization: `Bearer ${two.adminToken}` },
  });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  const client = await roving();
  const forbid = 'forbid (principal, action, resource == Tool::"remote/echo");';
  expect((await admin(one, 'PUT', '/policies/no-echo', { text: forbid })).status).toBeLessThan(300);
  const { message } = await client.request(1, 'tools/list');
  expect(JSON.stringify(message)).not.toContain('remote__echo');
  const { value } = await reader.read();
  expect(value).toContain('"no-echo"');
  await reader.cancel();
});

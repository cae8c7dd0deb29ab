import { describe, expect, test } from 'vitest';
import { toConnectorId } from '../../src/kernel/index.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { ALICE_KEY, startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';

/** The life of tokens of a real authorization server that rotates them and notices when one is used twice. */

const keep = closeAfterEach();
const textOf = (result: unknown): string => JSON.stringify(result);

async function start(options: Parameters<typeof startAccountHub>[1] = {}) {
  const given = await startAccountHub(keep, options);
  const connected = await given.connect(options.credentialMode === 'per_agent' ? { agent: 'alice' } : {});
  expect(connected.status).toBe(200);
  const client = keep(await connectAgent(given.hub, { key: ALICE_KEY }));
  const call = (tool = 'look') => client.callTool(`tracker__${tool}`);
  return { ...given, client, call };
}

const refreshes = ({ provider }: AccountHub) =>
  provider.tokenCalls().filter((kind) => kind === 'refresh_token').length;
const calls = ({ upstream }: AccountHub) => requestsOf(upstream.seen, 'tools/call');
const stateOf = async ({ ask }: AccountHub) =>
  ((await ask('GET', '/connectors/tracker')).body['credentials'] as { state: string; reason?: string }[])[0];

describe('a token that ends soon', () => {
  test('C68: is renewed before it does, while calls go on', async () => {
    const given = await startAccountHub(keep);
    given.provider.lifeSeconds = 3;
    expect((await given.connect()).status).toBe(200);
    const client = keep(await connectAgent(given.hub));
    await expect
      .poll(
        async () => {
          expect(await client.callTool('tracker__look')).not.toHaveProperty('isError');
          return refreshes(given);
        },
        { timeout: 20_000, interval: 300 },
      )
      .toBeGreaterThanOrEqual(2);
    expect(given.provider.familiesRevoked()).toBe(0);
    expect(
      new Set(requestsOf(given.upstream.seen, 'initialize').map(({ headers }) => headers)).size,
    ).toBeLessThan(8);
    expect((await eventsOf(given.hub, 'account.renewed')).length).toBeGreaterThanOrEqual(2);
  });
});

describe('a token the upstream does not take any more', () => {
  test('C68: is renewed once and the call sent again, once, in the same conversation', async () => {
    const given = await start();
    await given.call();
    const before = calls(given).length;
    const openings = requestsOf(given.upstream.seen, 'initialize').length;
    given.provider.records.removeAll('AccessToken');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => given.call()));
    for (const outcome of outcomes) expect(outcome).not.toHaveProperty('isError');
    expect(refreshes(given)).toBe(1);
    expect(calls(given).length).toBeLessThanOrEqual(before + 40);
    expect(requestsOf(given.upstream.seen, 'initialize').length).toBe(openings);
    expect(given.upstream.served).toHaveLength(21);
    expect(given.provider.familiesRevoked()).toBe(0);
  });

  test('U-18: however often it is renewed wants a person', async () => {
    const given = await start();
    await given.call();
    given.upstream.provider = { ...given.provider, judge: () => undefined };
    const refused = await given.call();
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toContain('crosspoint connector connect tracker');
    expect(refreshes(given)).toBe(1);
    expect(calls(given)).toHaveLength(3);
    await given.call();
    await given.call();
    expect(refreshes(given)).toBe(1);
    expect(calls(given)).toHaveLength(3);
    expect(await stateOf(given)).toMatchObject({ state: 'needs_sign_in' });
    given.upstream.provider = given.provider;
    expect((await given.connect()).status).toBe(200);
    expect(await given.call()).not.toHaveProperty('isError');
    expect(await stateOf(given)).toMatchObject({ state: 'valid' });
  });

  test('O-12: and whose sign-in is over, wants a person and asks the server once', async () => {
    const given = await start();
    given.provider.records.removeAll('AccessToken');
    given.provider.records.removeAll('RefreshToken');
    for (let count = 0; count < 3; count++) expect(await given.call()).toMatchObject({ isError: true });
    expect(refreshes(given)).toBe(1);
    expect(await stateOf(given)).toMatchObject({
      state: 'needs_sign_in',
      reason: expect.any(String) as string,
    });
    expect(await eventsOf(given.hub, 'account.needs_sign_in')).toHaveLength(1);
    expect(await given.ask('GET', '/connectors')).toMatchObject({
      body: { items: [{ accounts: { valid: 0, needs_sign_in: 1 } }] },
    });
  });

  test('while the authorization server is away, says so and comes back', async () => {
    const given = await start();
    given.provider.interfere = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    given.provider.records.removeAll('AccessToken');
    const failed = await given.call();
    expect(failed).toMatchObject({ isError: true });
    expect(await stateOf(given)).toMatchObject({ state: 'failed' });
    given.provider.interfere = undefined;
    await expect
      .poll(async () => (await given.call()).isError, { timeout: 15_000, interval: 500 })
      .not.toBe(true);
    expect(await stateOf(given)).toMatchObject({ state: 'valid' });
  });
});

describe('an account that is not wanted any more', () => {
  test('is revoked at its server and gone', async () => {
    const given = await start();
    await given.call();
    const removed = await given.ask('DELETE', '/connectors/tracker/accounts/shared/default');
    expect(removed.status).toBe(204);
    expect(given.provider.records.count('RefreshToken')).toBe(0);
    expect(await given.call()).toMatchObject({ isError: true });
    expect(given.upstream.served).toHaveLength(1);
    expect(await eventsOf(given.hub, 'account.disconnected')).toMatchObject([
      { connector: 'tracker', owner: 'shared', account: 'default', revoked: true },
    ]);
  });

  test('goes with its agent', async () => {
    const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
    const { ask, provider } = given;
    expect((await ask('POST', '/agents', { id: 'guest' })).status).toBe(201);
    expect((await given.connect({ agent: 'guest' })).status).toBe(200);
    expect(await ask('GET', '/agents/guest')).toMatchObject({
      body: { credentials: [{ connector: 'tracker', state: 'valid' }] },
    });
    expect(provider.records.count('RefreshToken')).toBe(1);
    expect((await ask('DELETE', '/agents/guest')).status).toBe(204);
    expect(provider.records.count('RefreshToken')).toBe(0);
    expect((await ask('GET', '/connectors/tracker/accounts')).body['items']).toEqual([]);
  });
});

test('a list that only an agent is shown is kept up to date by itself, also when its token has ended', async () => {
  const given = await start({ credentialMode: 'per_agent' });
  const { catalog, syncConnector } = given.hub.running.hub;
  const connector = toConnectorId('tracker');
  await expect.poll(() => catalog.snapshotOf(connector)?.listedAs).toBe('alice');
  given.provider.records.removeAll('AccessToken');
  expect(await syncConnector({ connector, actor: { kind: 'hub' } })).toMatchObject({ tools: 2 });
  expect(refreshes(given)).toBe(1);
});

describe('several accounts of one owner', () => {
  test('are told apart, and one is used', async () => {
    const given = await start({ credentialMode: 'per_agent' });
    given.provider.person = 'alice-at-office';
    expect((await given.connect({ agent: 'alice', account: 'office' })).status).toBe(200);
    await given.call();
    const chosen = await given.ask('POST', '/connectors/tracker/accounts/alice/office/default');
    expect(chosen).toMatchObject({ status: 200, body: { account: 'office', isDefault: true } });
    await given.call();
    expect(given.upstream.served.map(({ person }) => person)).toEqual(['alice', 'alice-at-office']);
    expect(await given.ask('GET', '/connectors/tracker/accounts')).toMatchObject({
      body: {
        items: [
          { account: 'default', isDefault: false },
          { account: 'office', isDefault: true },
        ],
      },
    });
    expect((await given.ask('DELETE', '/connectors/tracker/accounts/alice/office')).status).toBe(204);
    await given.call();
    expect(given.upstream.served.at(-1)?.person).toBe('alice');
    expect((await given.ask('POST', '/connectors/tracker/accounts/alice/office/default')).status).toBe(404);
  });
});

describe('a connector that signs in as itself', () => {
  test('needs nobody', async () => {
    const given = await startAccountHub(keep, {
      auth: ({ issuer }) => ({
        type: 'client_credentials',
        clientId: 'machine',
        clientSecret: 'canary-machine-secret',
        scopes: ['read'],
        issuer,
      }),
      clients: [
        {
          client_id: 'machine',
          client_secret: 'canary-machine-secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
    });
    const synced = await given.ask('POST', '/connectors/tracker/sync');
    expect(synced).toMatchObject({ status: 200, body: { tools: 2 } });
    const client = keep(await connectAgent(given.hub));
    expect(await client.callTool('tracker__look')).not.toHaveProperty('isError');
    expect(given.upstream.served).toEqual([{ person: 'machine', tool: 'look' }]);
    given.provider.records.removeAll('ClientCredentials');
    expect(await client.callTool('tracker__look')).not.toHaveProperty('isError');
    expect(given.provider.tokenCalls()).toEqual(['client_credentials', 'client_credentials']);
  });
});

import { describe, expect, test } from 'vitest';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { ALICE_KEY, BOB_KEY, startAccountHub } from '../support/oauth/account-hub.js';
import { closeAfterEach } from '../support/resources.js';

/** Signing in at a real authorization server, through the whole hub. */

const keep = closeAfterEach();
const textOf = (result: unknown): string => JSON.stringify(result);

describe('an account for everybody', () => {
  test('is connected, found out what it offers, and used by every agent', async () => {
    const { hub, upstream, provider, connect, ask } = await startAccountHub(keep);
    const page = await connect();
    const text = await page.text();
    expect({ status: page.status, text }).toEqual({
      status: 200,
      text: expect.stringContaining('Tracker is connected'),
    });
    expect(text).toContain('Discovered 2 tools');
    for (const key of [ALICE_KEY, BOB_KEY]) {
      const client = keep(await connectAgent(hub, { key }));
      expect(textOf(await client.callTool('tracker__look'))).toContain('look');
    }
    expect(upstream.served).toEqual([
      { person: 'alice', tool: 'look' },
      { person: 'alice', tool: 'look' },
    ]);
    expect(provider.tokenCalls()).toEqual(['authorization_code']);
    expect(await eventsOf(hub, 'account.connected')).toMatchObject([
      { connector: 'tracker', owner: 'shared', account: 'default', issuer: provider.issuer },
    ]);
    expect(await ask('GET', '/connectors/tracker/accounts')).toMatchObject({
      status: 200,
      body: { items: [{ owner: 'shared', account: 'default', isDefault: true, state: 'valid' }] },
    });
  });
});

describe('an account for each agent', () => {
  test('is used by that agent only', async () => {
    const { hub, upstream, provider, connect } = await startAccountHub(keep, { credentialMode: 'per_agent' });
    provider.person = 'alice@example';
    expect((await connect({ agent: 'alice' })).status).toBe(200);
    const alice = keep(await connectAgent(hub, { key: ALICE_KEY }));
    const bob = keep(await connectAgent(hub, { key: BOB_KEY }));
    expect(textOf(await alice.callTool('tracker__look'))).toContain('look');
    const refused = await bob.callTool('tracker__look');
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toContain('crosspoint connector connect tracker --agent bob');
    provider.person = 'bob@example';
    expect((await connect({ agent: 'bob' })).status).toBe(200);
    await bob.callTool('tracker__look');
    expect(upstream.served).toEqual([
      { person: 'alice@example', tool: 'look' },
      { person: 'bob@example', tool: 'look' },
    ]);
  });
});

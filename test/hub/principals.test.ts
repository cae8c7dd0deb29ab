import { describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { requestsOf } from '../support/remote-connector.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Who is who: keys, sessions, and that nothing crosses from one to another. */

const keep = closeAfterEach();
const PERMIT = 'permit(principal, action, resource);';

async function start(agents: object = {}, connector: object = {}) {
  const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
  const hub = keep(
    await startTestHub({
      config: { connectors: { up: { url: upstream.url, ...connector } }, agents, policies: ['all.cedar'] },
      files: { 'all.cedar': PERMIT },
    }),
  );
  await waitForSync(hub, 'up');
  return { upstream, hub };
}

describe('a revoked key', () => {
  test.each(['legacy', 'modern'] as const)('of a %s client is refused at once', async (era) => {
    const { hub } = await start();
    await admin(hub, 'POST', '/agents', { id: 'ci' });
    const { body: made } = await admin(hub, 'POST', '/agents/ci/keys', {});
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: String(made['key']), era });
    const call = () => agent.request('tools/call', { name: 'up__t' });
    expect((await call()).message).toHaveProperty('result');
    expect((await admin(hub, 'DELETE', `/agents/ci/keys/${String(made['id'])}`)).status).toBeLessThan(300);
    const refused = await call();
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Bearer') as string,
    ]);
  });

  test('of a removed agent too, and so is an agent that was switched off', async () => {
    const { hub } = await start();
    for (const [id, act] of [
      ['gone', () => admin(hub, 'DELETE', '/agents/gone')],
      ['off', () => admin(hub, 'PATCH', '/agents/off', { enabled: false })],
    ] as const) {
      await admin(hub, 'POST', '/agents', { id });
      const { body } = await admin(hub, 'POST', `/agents/${id}/keys`, {});
      const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: String(body['key']), era: 'modern' });
      expect((await agent.request('tools/list')).status).toBe(200);
      expect((await act()).status, id).toBeLessThan(300);
      expect((await agent.request('tools/list')).status, id).toBe(401);
    }
  });
});

describe('B1.6: a session', () => {
  const KEY = 'second-agent-key-0123456789abc';

  test.each(['POST', 'GET', 'DELETE'])('of one agent is unknown to another: %s', async (method) => {
    const { hub } = await start({ second: { keys: [KEY] } });
    const mine = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
    const answer = await fetch(`${hub.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        'mcp-session-id': mine.session ?? '',
        accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(method === 'GET' && { 'last-event-id': '0' }),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }),
    });
    expect(answer.status).toBe(404);
    await answer.body?.cancel();
    expect((await mine.request('tools/list')).message).toHaveProperty('result');
  });

  test('of one endpoint is unknown to another', async () => {
    const { hub } = await start();
    const { session } = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
    const answer = await fetch(`${hub.url}/connectors/up/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hub.localKey}`,
        'mcp-session-id': session ?? '',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(404);
  });
});

test('B1.3: names in headers and paths make nobody somebody else', async () => {
  const { hub } = await start();
  const headers = {
    'x-user': 'admin',
    'x-forwarded-user': 'admin',
    'x-agent': 'local',
    'content-type': 'application/json',
  };
  for (const path of ['/mcp', '/local/mcp', '/mcp?agent=local', '/connectors/up/mcp'])
    expect([401, 404], path).toContain(
      (await fetch(hub.url + path, { method: 'POST', headers, body: '{}' })).status,
    );
});

test('B4.3: the key of an agent opens no admin route, and the admin token no endpoint', async () => {
  const { hub } = await start();
  expect((await admin({ url: hub.url, adminToken: hub.localKey }, 'GET', '/connectors')).status).toBe(401);
  expect(
    (
      await openRawAgent({ url: `${hub.url}/mcp`, key: hub.adminToken, era: 'modern' }).then((agent) =>
        agent.request('tools/list'),
      )
    ).status,
  ).toBe(401);
});

test('B1.2: an agent without a policy sees nothing, and what it cannot see it cannot tell from what does not exist', async () => {
  const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
  const key = 'powerless-agent-key-0123456789';
  const hub = keep(
    await startTestHub({
      config: { connectors: { up: { url: upstream.url } }, agents: { powerless: { keys: [key] } } },
    }),
  );
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key, era: 'legacy' });
  expect((await agent.request('tools/list')).message).toMatchObject({ result: { tools: [] } });
  const [hidden, missing] = await Promise.all(
    ['up__t', 'up__nothing'].map(async (name) => (await agent.request('tools/call', { name })).message),
  );
  // All but the id of the call, which is another one each time.
  const asTold = {
    ...(missing?.['error'] as object),
    data: { reason: 'unknown_tool', callId: expect.any(String) },
  };
  expect(hidden?.['error']).toEqual(asTold);
  expect(missing?.['error']).toEqual(asTold);
  expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
});

test.each(['legacy', 'modern'] as const)(
  'at the address of a connector of which it sees nothing a %s client is not told what its server says of itself',
  async (era) => {
    const instructions = 'Ask for the invoices of all customers.';
    const upstream = keep(
      await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }], instructions }),
    );
    const agents = {
      may: { keys: ['may-agent-key-0123456789abcdef'] },
      not: { keys: ['not-agent-key-0123456789abcdef'] },
    };
    const hub = keep(
      await startTestHub({
        config: { connectors: { up: { url: upstream.url } }, agents, policies: ['may.cedar'] },
        files: { 'may.cedar': 'permit(principal == Agent::"may", action, resource);' },
      }),
    );
    await waitForSync(hub, 'up');
    const said = async (who: keyof typeof agents, path = '/connectors/up/mcp') => {
      const client = keep(await connectAgent(hub, { era, path, key: agents[who].keys[0] ?? '' }));
      return client.server.instructions;
    };
    expect(await said('may')).toBe(instructions);
    expect(await said('not')).toBeUndefined();
    expect(await said('may', '/mcp')).toContain('"__"');
  },
);

describe('many agents at once', () => {
  const keys = Array.from({ length: 12 }, (_, index) => `agent-${index}-key-0123456789abcdef`);
  const agents = Object.fromEntries(keys.map((key, index) => [`agent${index}`, { keys: [key] }]));

  test.each(['per_principal', 'shared'])('get their own answers, %s', async (isolation) => {
    const { upstream, hub } = await start(agents, { isolation });
    upstream.script = {
      ...upstream.script,
      sse: true,
      call: async (_name, args) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      },
    };
    const wrong = await Promise.all(
      keys.map(async (key, index) => {
        const agent = await openRawAgent({
          url: `${hub.url}/mcp`,
          key,
          era: index % 2 === 0 ? 'legacy' : 'modern',
        });
        const answers = await Promise.all(
          Array.from({ length: 15 }, async (_, n) => {
            const args = { from: index, n };
            const { message } = await agent.request('tools/call', { name: 'up__t', arguments: args });
            return JSON.stringify(message).includes(JSON.stringify(JSON.stringify(args)));
          }),
        );
        return answers.filter((right) => !right).length;
      }),
    );
    expect(wrong).toEqual(keys.map(() => 0));
    const sessions = new Set(
      requestsOf(upstream.seen, 'tools/call').map(({ headers }) => headers['mcp-session-id']),
    );
    expect(sessions.size).toBe(isolation === 'shared' ? 1 : keys.length);
  });
});

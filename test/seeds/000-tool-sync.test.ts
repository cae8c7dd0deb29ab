import { afterEach, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { startUpstream, type ScriptedUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { requestsOf } from '../support/remote-connector.js';

const TOOLS = ['alpha', 'beta', 'gamma'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

async function start(
  script: UpstreamScript,
  connector: object = {},
  more: object = {},
): Promise<{ upstream: ScriptedUpstream; hub: TestHub }> {
  const upstream = await startUpstream({ tools: TOOLS, ...script });
  open.push(upstream);
  const hub = await startTestHub({
    config: { connectors: { linear: { name: 'Linear', url: upstream.url, ...connector } }, ...more },
  });
  open.push(hub);
  return { upstream, hub };
}

const sync = (hub: TestHub, body: object = {}) => admin(hub, 'POST', '/connectors/linear/sync', body);

describe('two-step handshake', () => {
  test('initialize, initialized, then the list under the session that was given', async () => {
    const { upstream, hub } = await start({});
    await waitForSync(hub, 'linear');
    expect(
      upstream
        .methods()
        .filter((method) => method !== 'server/discover' && method !== 'GET')
        .slice(0, 3),
    ).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    const list = upstream.seen.find(({ rpc }) => rpc.method === 'tools/list');
    expect(list?.headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(list?.headers['accept']).toBe('application/json, text/event-stream');
  });

  test.each([true, false])('answers as event stream: %s', async (sse) => {
    const { hub } = await start({ sse });
    const { status, body } = await sync(hub);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tools: 3, prompts: 0, resources: 0 });
  });

  test('all pages are read', async () => {
    const { hub } = await start({ pageSize: 1 });
    expect((await sync(hub)).body).toMatchObject({ tools: 3 });
  });
});

describe('credentials for listing', () => {
  test('listing without a credential where the server allows it, although calls need one', async () => {
    const { upstream, hub } = await start(
      { protect: 'calls', tokens: ['t'] },
      { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
    );
    await waitForSync(hub, 'linear');
    expect(upstream.seen.every(({ headers }) => headers['authorization'] === undefined)).toBe(true);
  });

  test('C47: the shared credential where the server wants one', async () => {
    const { upstream, hub } = await start(
      { protect: 'everything', tokens: ['shared-token'] },
      { auth: { type: 'bearer', token: 'shared-token' } },
    );
    await waitForSync(hub, 'linear');
    const [listing] = requestsOf(upstream.seen, 'tools/list');
    expect(listing?.headers['authorization']).toBe('Bearer shared-token');
    expect(hub.running.hub.catalog.snapshotOf('linear' as never)?.listedAs).toBe('shared');
  });

  test('the shared credential is shown also where listing is open: those who sign in may be offered more', async () => {
    const { upstream, hub } = await start(
      { protect: 'calls', tokens: ['shared-token'] },
      { auth: { type: 'bearer', token: 'shared-token' } },
    );
    expect((await sync(hub)).body).toMatchObject({ tools: 3 });
    const shown = ['initialize', 'notifications/initialized', 'tools/list'].flatMap((method) =>
      requestsOf(upstream.seen, method).map(({ headers }) => headers['authorization']),
    );
    expect([shown.length > 2, new Set(shown)]).toEqual([true, new Set(['Bearer shared-token'])]);
  });

  test('C47: nothing is shown where the shared credential is refused and listing is open', async () => {
    const { upstream, hub } = await start(
      {
        intercept: ({ headers }, response) => {
          if (headers['authorization'] === undefined) return false;
          response.writeHead(401).end();
          return true;
        },
      },
      { auth: { type: 'bearer', token: 'shared-token' } },
    );
    expect((await sync(hub)).body).toMatchObject({ tools: 3 });
    expect(requestsOf(upstream.seen, 'tools/list').at(-1)?.headers['authorization']).toBeUndefined();
    expect(hub.running.hub.catalog.snapshotOf('linear' as never)?.listedAs).toBe('anonymous');
  });

  test.each([
    ['shared', {}],
    ['agent', { credentialMode: 'per_agent' }],
  ])('C47: where everything is refused, what is told is about the credential: %s', async (whose, mode) => {
    const { hub } = await start(
      {
        intercept: ({ headers }, response) => {
          const refused = headers['authorization'] === undefined ? 401 : 403;
          response.writeHead(refused).end();
          return true;
        },
      },
      { auth: { type: 'bearer' }, ...mode },
    );
    const owner = whose === 'agent' ? 'local' : 'shared';
    await admin(hub, 'PUT', `/connectors/linear/credentials/${owner}`, { token: 'wrong-token' });
    const { status, body } = await sync(hub, whose === 'agent' ? { agent: 'local' } : {});
    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: { code: 'credential_required', message: expect.stringContaining('refused access') as string },
    });
  });

  test('the given agent for a connector with a credential per agent', async () => {
    const { hub } = await start(
      { protect: 'everything', tokens: ['mine'] },
      { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
    );
    const refused = await sync(hub);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: { code: 'credential_required' } });
    await admin(hub, 'PUT', '/connectors/linear/credentials/local', { values: { token: 'mine' } });
    expect((await sync(hub, { agent: 'local' })).body).toMatchObject({ tools: 3 });
  });

  test('the agent of the last sync, where none is given: so do those that the hub makes by itself', async () => {
    const { hub } = await start(
      { protect: 'everything', tokens: ['mine'] },
      { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
    );
    await admin(hub, 'PUT', '/connectors/linear/credentials/local', { values: { token: 'mine' } });
    await waitForSync(hub, 'linear');
    const { hub: inside } = hub.running;
    const request = { connector: 'linear' as never, actor: { kind: 'hub' } } as const;
    expect(await inside.syncConnector(request)).toMatchObject({ tools: 3 });
    expect(inside.catalog.snapshotOf('linear' as never)?.listedAs).toBe('local');
    await admin(hub, 'DELETE', '/connectors/linear/credentials/local');
    await expect(inside.syncConnector(request)).rejects.toMatchObject({ code: 'credential_required' });
  });

  test('the first credential of an agent fills an empty connector by itself', async () => {
    const { hub } = await start(
      { protect: 'everything', tokens: ['mine'] },
      { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
    );
    const saved = await admin(hub, 'PUT', '/connectors/linear/credentials/local', {
      values: { token: 'mine' },
    });
    expect(saved.status).toBeLessThan(300);
    await waitForSync(hub, 'linear');
  });

  test('a sync that fails does not break what triggered it', async () => {
    const { hub } = await start(
      { protect: 'everything', tokens: ['other'] },
      { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
    );
    const saved = await admin(hub, 'PUT', '/connectors/linear/credentials/local', {
      values: { token: 'wrong' },
    });
    expect(saved.status).toBeLessThan(300);
  });
});

describe('common errors', () => {
  test('a failed sync says why and keeps what was known', async () => {
    const { upstream, hub } = await start({});
    await waitForSync(hub, 'linear');
    upstream.script = { intercept: (_request, response) => response.writeHead(500).end() !== undefined };
    const failed = await sync(hub);
    expect(failed.status).toBe(502);
    expect(failed.body).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(hub.running.hub.catalog.snapshotOf('linear' as never)?.tools).toHaveLength(3);
  });

  test('what changed since the last sync is told', async () => {
    const { upstream, hub } = await start({});
    await waitForSync(hub, 'linear');
    upstream.script = {
      tools: [
        { name: 'alpha', description: 'new', inputSchema: { type: 'object' } },
        { name: 'delta', inputSchema: { type: 'object' } },
      ],
    };
    expect((await sync(hub)).body).toMatchObject({
      tools: 2,
      added: ['delta'],
      removed: ['beta', 'gamma'],
      changed: ['alpha'],
    });
  });

  test('a server that forgets the session gets a new handshake and the list once more', async () => {
    const { upstream, hub } = await start({});
    await waitForSync(hub, 'linear');
    let forgotten = false;
    upstream.script = {
      tools: TOOLS,
      intercept: ({ rpc }, response) => {
        if (forgotten || rpc.method !== 'tools/list') return false;
        forgotten = true;
        response.writeHead(404).end();
        return true;
      },
    };
    expect((await sync(hub)).body).toMatchObject({ tools: 3 });
    expect(forgotten).toBe(true);
  });
});

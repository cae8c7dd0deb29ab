import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/app/index.js';
import { HubError, silentLogger, type Logger } from '../../src/kernel/index.js';
import { POLICY_TURN } from '../../src/operations/index.js';
import { addConnector } from '../support/add-connector.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { until } from '../support/http/until.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** A changed configuration, and a start that must not happen. */

const keep = closeAfterEach();
const tools = [{ name: 't', inputSchema: { type: 'object' } }];

/** Writes a new configuration file and puts it in force. */
async function reload(
  hub: TestHub,
  config: unknown,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  writeFileSync(
    join(hub.folder, 'crosspoint.json'),
    typeof config === 'string' ? config : JSON.stringify(config),
  );
  for (const [name, text] of Object.entries(files)) writeFileSync(join(hub.folder, name), text);
  const flags = { port: 0, data: join(hub.folder, 'data') };
  return hub.running.reload(loadConfig({ flags, environment: {}, folder: hub.folder, now: Date.now() }));
}

async function start() {
  const [stays, changes] = [keep(await startUpstream({ tools })), keep(await startUpstream({ tools }))];
  const config = { connectors: { stays: { url: stays.url }, changes: { url: changes.url } } };
  const hub = keep(await startTestHub({ config }));
  for (const id of ['stays', 'changes']) await waitForSync(hub, id);
  const client = keep(await connectAgent(hub));
  const use = async () => {
    for (const id of ['stays', 'changes']) await client.callTool(`${id}__t`);
  };
  return { stays, changes, config, hub, client, use };
}

describe('a valid configuration', () => {
  test('touches only what changed: the session of an unchanged connector lives on', async () => {
    const { stays, changes, config, hub, use } = await start();
    await use();
    const changed = await reload(hub, {
      connectors: { ...config.connectors, changes: { url: changes.url, timeouts: { requestMs: 9_000 } } },
    });
    expect(changed).toEqual(['changes']);
    await use();
    const sessions = (upstream: typeof stays) =>
      new Set(requestsOf(upstream.seen, 'tools/call').map(({ headers }) => headers['mcp-session-id'])).size;
    expect([sessions(stays), sessions(changes)]).toEqual([1, 2]);
    expect(requestsOf(stays.seen, 'DELETE')).toEqual([]);
    await until(() => requestsOf(changes.seen, 'DELETE').length > 0, 'the goodbye to the old session');
  });

  test('is in force at once, also where a server of before does not let go', async () => {
    const { stays, changes, hub, client } = await start();
    await client.callTool('stays__t');
    // Its handshake goes on for as long as a request may take.
    const silent = keep(await startUpstream({ intercept: () => true }));
    await reload(hub, { connectors: { changes: { url: silent.url }, stays: { url: stays.url } } });
    await until(() => silent.seen.length > 0, 'the attempt to speak with the silent server');
    const begun = performance.now();
    await reload(hub, { connectors: { changes: { url: stays.url }, stays: { url: changes.url } } });
    await client.callTool('stays__t');
    expect(requestsOf(changes.seen, 'tools/call')).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test('does not take back a policy that is saved while it is read', async () => {
    const { config, hub, client } = await start();
    const store = hub.running.hub.storage.policies;
    const list = store.list.bind(store);
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let readings = 0;
    vi.spyOn(store, 'list').mockImplementationOnce(async () => {
      const found = await list();
      readings++;
      await gate;
      return found;
    });
    const reloading = reload(hub, config);
    await until(() => readings === 1, 'the policies were read');
    const forbid = { text: 'forbid (principal, action, resource);' };
    let saved = false;
    const saving = hub.running.hub
      .turns(POLICY_TURN, async () => void (saved = true))
      .then(() => admin(hub, 'PUT', '/policies/no-calls', forbid));
    await new Promise((resolve) => setImmediate(resolve));
    expect(saved).toBe(false);
    open?.();
    expect((await saving).status).toBe(201);
    await reloading;
    await expect(client.callTool('stays__t')).rejects.toMatchObject({ code: -32602 });
  });

  test('adds and removes connectors, agents and policies', async () => {
    const { stays, hub, client } = await start();
    const key = 'a-new-agent-key-0123456789abcdef';
    const config = {
      connectors: { added: { url: stays.url } },
      agents: { fresh: { keys: [key] } },
      policies: ['fresh.cedar'],
    };
    await reload(hub, config, { 'fresh.cedar': 'permit(principal == Agent::"fresh", action, resource);' });
    await waitForSync(hub, 'added');
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['added__t']);
    const fresh = keep(await connectAgent(hub, { key }));
    expect((await fresh.listTools()).items).toHaveLength(1);
    await reload(hub, { connectors: { added: { url: stays.url } } });
    await expect(fresh.listTools()).rejects.toThrow(/./);
  });

  test('is not refused because the store is away for a moment when it is in force already', async () => {
    const { stays, hub } = await start();
    const away = new HubError('storage_unavailable', 'the store cannot be used at the moment');
    vi.spyOn(hub.running.hub.connectors, 'list').mockRejectedValueOnce(away);
    expect(await reload(hub, { connectors: { added: { url: stays.url } } })).toContain('added');
    await waitForSync(hub, 'added');
  });

  test('is told of by name where it waits for the next start', async () => {
    const warn = vi.fn<Logger['warn']>();
    const logger: Logger = { ...silentLogger, warn, child: () => logger };
    const hub = keep(await startTestHub({ config: { connectors: {} }, logger }));
    await reload(hub, { connectors: {}, limits: { perAgent: { perSecond: 1 } }, outputCheck: 'refuse' });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { settings: ['limits.perAgent', 'outputCheck'] },
      'these settings changed, and take effect at the next start',
    );
    await reload(hub, { connectors: {} });
    expect(warn).toHaveBeenCalledOnce();
  });

  test('that says the same changes nothing', async () => {
    const { stays, config, hub, use } = await start();
    await use();
    expect(await reload(hub, config)).toEqual([]);
    await use();
    expect(requestsOf(stays.seen, 'initialize')).toHaveLength(2);
  });

  test('a connector that is removed while it is asked stays removed', async () => {
    const { hub, stays } = await start();
    stays.script = {
      tools,
      intercept: ({ rpc }, response) =>
        rpc.method === 'tools/list' && setTimeout(() => response.writeHead(503).end(), 200) !== undefined,
    };
    const syncing = hub.running.hub.syncConnector({ connector: 'stays' as never, actor: { kind: 'hub' } });
    await reload(hub, { connectors: {} });
    await expect(syncing).rejects.toMatchObject({ name: 'HubError' });
    expect(hub.running.hub.catalog.has('stays')).toBe(false);
  });
});

describe('a connector of the file that hides a stored one', () => {
  test('leaves the stored one behind when it goes, also where that cannot be asked just then', async () => {
    const { stays, changes, hub, client } = await start();
    await addConnector(hub, 'twice', stays.url);
    await reload(hub, { connectors: { twice: { url: changes.url } } });
    await client.callTool('twice__t');
    stays.script = { tools, intercept: ({ rpc }, response) => refuse(rpc.method, response) };
    expect(await reload(hub, { connectors: {} })).toContain('twice');
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['twice__t']);
    await client.callTool('twice__t');
    expect(requestsOf(stays.seen, 'tools/call')).toHaveLength(1);
    expect(requestsOf(changes.seen, 'tools/call')).toHaveLength(1);
  });
});

/** A server that serves calls and tells nobody what it has. */
function refuse(method: string | undefined, response: ServerResponse): boolean {
  if (method !== 'tools/list') return false;
  response.writeHead(503).end();
  return true;
}

describe('an invalid configuration', () => {
  test.each<readonly [string, unknown, Readonly<Record<string, string>>, RegExp]>([
    ['text that is not JSON', '{"connectors": ', {}, /crosspoint\.json/],
    ['an unknown key', { conectors: {} }, {}, /conectors/],
    [
      'a bad connector among good ones',
      { connectors: { fine: { url: 'http://127.0.0.1:1' }, bad: {} } },
      {},
      /connectors\.bad\.url/,
    ],
    [
      'a policy that does not parse',
      { connectors: {}, policies: ['bad.cedar'] },
      { 'bad.cedar': 'permit(' },
      /bad/,
    ],
    [
      'a policy that knows what does not exist',
      { connectors: {}, policies: ['bad.cedar'] },
      { 'bad.cedar': 'permit(principal == Robot::"x", action, resource);' },
      /bad/,
    ],
  ])('with %s changes nothing', async (_what, config, files, message) => {
    const { stays, hub, client, use } = await start();
    await use();
    await expect(reload(hub, config, files)).rejects.toThrow(message);
    await use();
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['changes__t', 'stays__t']);
    expect(
      new Set(requestsOf(stays.seen, 'tools/call').map(({ headers }) => headers['mcp-session-id'])).size,
    ).toBe(1);
    expect(requestsOf(stays.seen, 'DELETE')).toEqual([]);
  });
});

describe('B0.3: a wrong master key', () => {
  test('refuses to start and leaves the store as it is, to the byte', async () => {
    const first = keep(await startTestHub());
    await first.running.stop();
    const data = join(first.folder, 'data');
    const key = readFileSync(join(data, 'master.key'));
    const digest = (): string =>
      createHash('sha256')
        .update(readFileSync(join(data, 'hub.db')))
        .digest('hex');
    const before = digest();
    writeFileSync(join(data, 'master.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
    await expect(startTestHub({ folder: first.folder })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/master key/i) as string,
    });
    expect(digest()).toBe(before);
    writeFileSync(join(data, 'master.key'), key);
    const again = await startTestHub({ folder: first.folder });
    await again.close();
    expect(again.localKey).toBe(first.localKey);
  });

  test.each([
    ['', /is empty/],
    ['short', /must be 32 bytes/],
  ])('one that is none (%j) is named', async (text, message) => {
    const first = keep(await startTestHub());
    await first.running.stop();
    writeFileSync(join(first.folder, 'data', 'master.key'), text);
    await expect(startTestHub({ folder: first.folder })).rejects.toThrow(message);
  });
});

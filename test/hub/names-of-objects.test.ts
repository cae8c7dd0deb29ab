import { expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Every object of the language has members of these names. Here they are names like any other. */
const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'plain', 'toString', 'valueOf'];
const keep = closeAfterEach();

test('a tool may be called like a member of every object', async () => {
  const tools = NAMES.map((name) => ({ name, inputSchema: { type: 'object' } }));
  const upstream = keep(await startUpstream({ tools }));
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  const client = keep(await connectAgent(hub));

  const { items: listed } = await client.listTools();
  expect(listed.map(({ name }) => name).toSorted()).toEqual(NAMES.map((name) => `up__${name}`));
  for (const name of NAMES) {
    await client.callTool(`up__${name}`);
    expect(upstream.seen.at(-1)?.rpc).toMatchObject({ method: 'tools/call', params: { name } });
    const explained = await admin(hub, 'POST', '/policies/explain', { agent: 'local', tool: `up__${name}` });
    expect([explained.status, explained.body['decision']]).toEqual([200, 'allow']);
    expect((await admin(hub, 'GET', `/tools/up__${name}`)).body).toMatchObject({ tool: name, tags: [] });
  }
});

test('so may a connector and a toolset', async () => {
  const upstream = keep(await startUpstream({ tools: [{ name: 'one', inputSchema: { type: 'object' } }] }));
  const names = ['constructor', 'toString'];
  const byName = (value: object) => Object.fromEntries(names.map((name) => [name, value]));
  const config = {
    connectors: byName({ url: upstream.url }),
    mcpServers: { other: { url: upstream.url } },
    toolsets: byName({ tools: ['*__one'] }),
  };
  const hub = keep(await startTestHub({ config }));
  for (const name of names) {
    await waitForSync(hub, name);
    const client = keep(await connectAgent(hub, { path: `/toolsets/${name}/mcp` }));
    expect((await client.listTools()).items.map((tool) => tool.name)).toContain(`${name}__one`);
  }
});

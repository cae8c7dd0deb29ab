import { describe, expect, test } from 'vitest';
import type { InputHandlers } from '../../src/mcp/client/index.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** A policy that wants a person to be asked first. */

const keep = closeAfterEach();
const DROP = { name: 'drop', inputSchema: { type: 'object' }, annotations: { destructiveHint: false } };
const KEY = 'careful-agent-key-0123456789abc';
const CONFIRM =
  '@confirm("Dropping a table cannot be undone.")\npermit(principal == Agent::"careful", action, resource)\n' +
  'unless { resource is Tool && resource.risk == "read" };\n' +
  // It is seen all the same.
  'forbid(principal, action == Action::"call", resource) when { resource.risk == "destructive" && context has args };\n' +
  '@confirm("It only reads.")\npermit(principal == Agent::"careful", action, resource) when { resource is Tool && resource.risk == "read" };';

async function start(era: 'legacy' | 'modern', handlers?: InputHandlers) {
  const upstream = keep(await startUpstream({ tools: [DROP] }));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { db: { url: upstream.url } },
        agents: { careful: { keys: [KEY] } },
        policies: ['careful.cedar'],
      },
      files: { 'careful.cedar': CONFIRM },
    }),
  );
  await waitForSync(hub, 'db');
  const client = keep(await connectAgent(hub, { era, key: KEY, ...(handlers && { handlers }) }));
  const executed = () => requestsOf(upstream.seen, 'tools/call').length;
  const connect = async (id: string): Promise<void> => {
    const added = await admin(hub, 'POST', '/connectors', {
      id,
      url: upstream.url,
      allowPrivateNetwork: true,
    });
    expect(added.status).toBe(201);
    await waitForSync(hub, id);
  };
  /** What the upstream offers from now on, and the hub knows of it. */
  const retool = async (tool: object): Promise<void> => {
    upstream.script = { ...upstream.script, tools: [{ ...DROP, ...tool }] };
    expect((await admin(hub, 'POST', '/connectors/db/sync', {})).status).toBe(200);
  };
  return { hub, client, executed, connect, retool };
}

const answering = (action: string, asked: unknown[] = []): InputHandlers => ({
  elicitation: ({ params }) => {
    asked.push(params?.['message']);
    return { action, ...(action === 'accept' && { content: {} }) };
  },
});

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('that says yes has the call made, once', async () => {
    const asked: unknown[] = [];
    const { hub, client, executed } = await start(era, answering('accept', asked));
    expect(await client.callTool('db__drop', { table: 'x' })).not.toHaveProperty('isError');
    expect(executed()).toBe(1);
    expect(asked).toEqual([expect.stringMatching(/cannot be undone.*db__drop/)]);
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(1);
    expect(await eventsOf(hub, 'call.refused')).toEqual([]);
  });

  test.each(['decline', 'cancel'])('that answers %s has not, and is told', async (action) => {
    const { hub, client, executed } = await start(era, answering(action));
    const outcome = await client.callTool('db__drop').catch((error: unknown) => error);
    expect(outcome instanceof Error ? outcome.message : JSON.stringify(outcome)).toMatch(/not confirmed/);
    expect(executed()).toBe(0);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([
      { outcome: 'denied', error: 'policy_denied' },
    ]);
  });

  test('that cannot ask anybody is refused with a clear message', async () => {
    const { hub, client, executed } = await start(era);
    const outcome = await client.callTool('db__drop').catch((error: unknown) => error);
    expect(outcome instanceof Error ? outcome.message : JSON.stringify(outcome)).toMatch(
      /needs confirmation .* cannot ask/,
    );
    expect(executed()).toBe(0);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([
      { outcome: 'denied', error: 'confirmation_required' },
    ]);
  });
});

/** It is asked while its call waits; a modern one calls again, and finds what is there by then. */
test.each([
  ['switched off', 'PATCH', '/connectors/db2', { enabled: false }],
  ['removed', 'DELETE', '/connectors/db2', undefined],
  ['changed', 'PATCH', '/connectors/db2', { url: 'http://127.0.0.1:9/mcp' }],
] as const)(
  'a legacy client that says yes when the connector was %s meanwhile has nothing sent',
  async (_, method, path, body) => {
    const { hub, client, executed, connect } = await start('legacy', {
      elicitation: async () => {
        const { status } = await admin(hub, method, path, body);
        expect(status).toBeLessThan(300);
        return { action: 'accept', content: {} };
      },
    });
    await connect('db2');
    const outcome = await client.callTool('db2__drop').catch((error: unknown) => error);
    expect(outcome instanceof Error || JSON.stringify(outcome).includes('"isError":true')).toBe(true);
    expect(executed()).toBe(0);
    expect(await eventsOf(hub, 'call.intended')).toEqual([]);
    expect(await eventsOf(hub, 'call.refused')).toHaveLength(1);
  },
);

describe('a legacy client that says yes when the tool was changed meanwhile', () => {
  test.each([
    ['to what policies forbid', { annotations: {} }, 'policy_denied'],
    [
      'to what takes other arguments',
      { inputSchema: { type: 'object', required: ['name'] } },
      'arguments_invalid',
    ],
  ])('%s has nothing sent', async (_, tool, error) => {
    const { hub, client, executed, retool } = await start('legacy', {
      elicitation: async () => {
        await retool(tool);
        return { action: 'accept', content: {} };
      },
    });
    const outcome = await client.callTool('db__drop', { table: 'x' }).catch((thrown: unknown) => thrown);
    expect(outcome instanceof Error || JSON.stringify(outcome).includes('"isError":true')).toBe(true);
    expect(executed()).toBe(0);
    expect(await eventsOf(hub, 'call.intended')).toEqual([]);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([{ error }]);
  });

  test.each([
    ['the same reason is asked once', { destructiveHint: false, idempotentHint: true }, 1],
    ['another reason is asked again', { readOnlyHint: true }, 2],
  ])('to what has to be confirmed for %s', async (_, annotations, times) => {
    let asked = 0;
    const { client, executed, retool } = await start('legacy', {
      elicitation: async () => {
        asked++;
        await retool({ annotations });
        return { action: 'accept', content: {} };
      },
    });
    expect(await client.callTool('db__drop', { table: 'x' })).not.toHaveProperty('isError');
    expect([asked, executed()]).toEqual([times, 1]);
  });
});

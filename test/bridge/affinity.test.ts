import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { requestsOf } from '../support/remote-connector.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Whose conversation with a legacy upstream a call is made in, and what is declared there. */

const keep = closeAfterEach();
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };

async function start(isolation: string) {
  const upstream = keep(
    await startUpstream({ revision: '2025-11-25', tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
  );
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { up: { url: upstream.url, isolation } },
        agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
        policies: ['all.cedar'],
      },
      files: { 'all.cedar': 'permit(principal, action, resource);' },
    }),
  );
  await waitForSync(hub, 'up');
  const open = (era: 'legacy' | 'modern', capabilities: JsonObject = {}, who: keyof typeof KEYS = 'ada') =>
    openRawAgent({ url: `${hub.url}/mcp`, key: KEYS[who], era, capabilities });
  /** What was declared in the conversation the call came by, and a name for it. */
  const call = async (agent: RawAgent) => {
    const { message } = await agent.request('tools/call', { name: 'up__t', arguments: {} });
    expect(message).toHaveProperty('result');
    const session = requestsOf(upstream.seen, 'tools/call').at(-1)?.headers['mcp-session-id'];
    const [opening] = opened.filter(({ id }) => id === session);
    return { session: opened.findIndex(({ id }) => id === session), declared: opening?.declared };
  };
  const opened: { readonly id: string; readonly declared: unknown }[] = [];
  const { script } = upstream;
  upstream.script = {
    ...script,
    intercept: ({ rpc }, response) => {
      if (rpc.method !== 'initialize') return false;
      const write = response.writeHead.bind(response) as (status: number, headers: object) => typeof response;
      response.writeHead = ((status: number, headers: Record<string, string>) => {
        opened.push({
          id: String(headers['mcp-session-id']),
          declared: (rpc.params as { capabilities: unknown }).capabilities,
        });
        return write(status, headers);
      }) as never;
      return false;
    },
  };
  return { open, call };
}

const FORM = { elicitation: { form: {} } };
const ROOTS = { roots: { listChanged: true } };

describe('B9: callers with different abilities', () => {
  test('have conversations of their own, each with what its callers can do; equal ones share', async () => {
    const { open, call } = await start('per_principal');
    const cases = [
      ['legacy', FORM],
      ['legacy', {}],
      ['modern', { elicitation: {} }],
      ['modern', {}],
      ['modern', { elicitation: { url: {} }, sampling: { tools: {} } }],
    ] as const;
    const found = [];
    for (const [era, capabilities] of cases) found.push(await call(await open(era, capabilities)));
    expect(found).toEqual([
      { session: 0, declared: FORM },
      { session: 1, declared: {} },
      { session: 0, declared: FORM },
      { session: 1, declared: {} },
      { session: 2, declared: { elicitation: { url: {} }, sampling: { tools: {} } } },
    ]);
  });

  test('a modern client may declare something else with each request', async () => {
    const { open, call } = await start('per_principal');
    const [able, unable] = [await open('modern', FORM), await open('modern')];
    expect(await call(able)).toEqual({ session: 0, declared: FORM });
    expect(await call(unable)).toEqual({ session: 1, declared: {} });
    expect(await call(able)).toMatchObject({ session: 0 });
  });
});

describe('B8: conversations are told apart', () => {
  test.each<[string, readonly number[]]>([
    ['shared', [0, 0, 0, 0]],
    ['per_principal', [0, 0, 0, 1]],
    ['per_session', [0, 1, 2, 3]],
    ['per_call', [0, 1, 2, 3]],
  ])('%s', async (isolation, expected) => {
    const { open, call } = await start(isolation);
    const found = [];
    for (const [era, who] of [
      ['legacy', 'ada'],
      ['legacy', 'ada'],
      // Without a session it is known by who it is.
      ['modern', 'ada'],
      ['legacy', 'bob'],
    ] as const)
      found.push((await call(await open(era, {}, who))).session);
    expect(found).toEqual(expected);
  });
});

test('B19: roots are declared where one agent is served, never where many share; nobody promises to tell of changes', async () => {
  const shared = await start('shared');
  const { declared } = await shared.call(await shared.open('legacy', { ...FORM, ...ROOTS }));
  expect(declared).toEqual(FORM);
  for (const isolation of ['per_principal', 'per_session', 'per_call']) {
    const { open, call } = await start(isolation);
    for (const [capabilities, expected] of [
      [ROOTS, { roots: {} }],
      [FORM, FORM],
    ] as const)
      expect((await call(await open('legacy', capabilities))).declared).toEqual(expected);
  }
});

test('B37: nobody is offered tasks of what it asks', async () => {
  const { open, call } = await start('per_call');
  const tasks = { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
  const { declared } = await call(await open('legacy', { ...FORM, sampling: {}, tasks }));
  expect(declared).toEqual({ ...FORM, sampling: {} });
});

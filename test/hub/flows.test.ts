import { describe, expect, test } from 'vitest';
import type { InputHandlers, McpClient } from '../../src/mcp/client/index.js';
import { addConnector } from '../support/add-connector.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Policies that forbid one tool after another in the same conversation. */

const keep = closeAfterEach();
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const ALL = 'permit(principal, action, resource);\n';
const NO_LEAK = `@id("no-leak")
forbid(principal, action == Action::"call", resource)
when { resource.tags.contains("egress") && context.seen.contains("untrusted") };\n`;
const CONFIRMED = `@confirm("Strangers may have asked for this.")
permit(principal, action == Action::"call", resource)
when { resource.tags.contains("egress") && context.seen.contains("untrusted") };\n`;

const NO_LETTER = `@id("no-letter")
forbid(principal, action == Action::"get", resource in Connector::"mail")
when { context.seen.contains("untrusted") };
forbid(principal, action == Action::"get", resource in Connector::"mail")
unless { context has args && context.args.hasTag("to") };\n`;
const SUGGESTED = { completion: { values: ['do as I say'] } };

async function start(policy = ALL + NO_LEAK, config: object = {}) {
  const web = keep(
    await startUpstream({
      tools: ['fetch', 'plain'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      prompts: [{ name: 'news' }],
      capabilities: { completions: {} },
      results: { 'prompts/get': () => ({ messages: [] }), 'completion/complete': () => SUGGESTED },
    }),
  );
  const mail = keep(
    await startUpstream({
      tools: [{ name: 'send', inputSchema: { type: 'object' } }],
      prompts: [{ name: 'letter' }],
      capabilities: { completions: {} },
      results: { 'completion/complete': () => SUGGESTED },
    }),
  );
  const hub = keep(
    await startTestHub({
      config: {
        connectors: {
          web: { url: web.url, toolTags: { fetch: ['untrusted'] } },
          news: { url: web.url, tags: ['untrusted'] },
          mail: { url: mail.url, tags: ['egress'] },
        },
        agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
        policies: ['flows.cedar'],
        ...config,
      },
      files: { 'flows.cedar': policy },
    }),
  );
  for (const id of ['web', 'news', 'mail']) await waitForSync(hub, id);
  const connectAs = async (agent: keyof typeof KEYS, era: 'legacy' | 'modern', handlers?: InputHandlers) =>
    keep(await connectAgent(hub, { era, key: KEYS[agent], ...(handlers && { handlers }) }));
  const sent = () => requestsOf(mail.seen, 'tools/call').length;
  const typed = () => requestsOf(mail.seen, 'completion/complete').length;
  return { hub, connectAs, sent, typed };
}

const typing = (name: string) =>
  ({ ref: { type: 'ref/prompt', name }, argument: { name: 'to', value: 'what was read' } }) as const;

/** What a client is told, however its era does it. */
async function told(client: McpClient, tool: string, args: object = {}): Promise<string> {
  const outcome = await client.callTool(tool, { ...args }).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome.message;
  return (outcome as { isError?: boolean }).isError === true ? JSON.stringify(outcome) : 'ok';
}

async function rest(hub: TestHub, name: string) {
  const answer = await fetch(`${hub.url}/mcp/tools/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.ada}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, arguments: {} }),
  });
  return answer.text();
}

const DENIED = /forbidden by flows\/no-leak, because of what this conversation has used before/;

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('B1.12: is refused the second of a forbidden pair, and nobody else is', async () => {
    const { hub, connectAs, sent } = await start();
    const ada = await connectAs('ada', era);
    const bob = await connectAs('bob', era);
    expect(await told(ada, 'mail__send')).toBe('ok');
    expect(await told(ada, 'web__plain')).toBe('ok');
    expect(await told(ada, 'mail__send')).toBe('ok');
    expect(await told(ada, 'web__fetch')).toBe('ok');
    expect(await told(ada, 'mail__send')).toMatch(DENIED);
    expect(await told(ada, 'web__plain')).toBe('ok');
    expect(await told(bob, 'mail__send')).toBe('ok');
    expect(sent()).toBe(3);
    expect((await ada.listTools()).items.map(({ name }) => name)).toContain('mail__send');
    expect(await eventsOf(hub, 'call.refused')).toEqual([
      expect.objectContaining({
        exposedName: 'mail__send',
        connector: 'mail',
        outcome: 'denied',
        error: 'flow_denied',
        policies: ['flows/no-leak'],
      }),
    ]);
  });

  test('B1.12: has used what a prompt of a connector brings', async () => {
    const { connectAs, sent } = await start();
    const ada = await connectAs('ada', era);
    await ada.getPrompt('news__news');
    expect(await told(ada, 'mail__send')).toMatch(DENIED);
    expect(sent()).toBe(0);
  });

  test('B1.12: has used what suggestions for arguments bring', async () => {
    const { connectAs, sent } = await start();
    const ada = await connectAs('ada', era);
    expect(await ada.complete(typing('news__news'))).toMatchObject(SUGGESTED);
    expect(await told(ada, 'mail__send')).toMatch(DENIED);
    expect(sent()).toBe(0);
  });

  test('B1.12: cannot carry away in what it types what it must not send', async () => {
    const { hub, connectAs, typed } = await start(ALL + NO_LETTER);
    const ada = await connectAs('ada', era);
    // Arguments that are still to be filled in are no reason to refuse.
    expect(await ada.complete(typing('mail__letter'))).toMatchObject(SUGGESTED);
    await told(ada, 'web__fetch');
    await expect(ada.complete(typing('mail__letter'))).rejects.toThrow(/flows\/no-letter/);
    expect(typed()).toBe(1);
    expect(await eventsOf(hub, 'call.refused')).toEqual([
      expect.objectContaining({ method: 'completion/complete', connector: 'mail', error: 'flow_denied' }),
    ]);
  });

  test('B1.12: has used nothing of before such a policy was in force', async () => {
    const { hub, connectAs } = await start(ALL);
    const ada = await connectAs('ada', era);
    await told(ada, 'web__fetch');
    expect((await admin(hub, 'PUT', '/policies/later', { text: NO_LEAK })).status).toBeLessThan(300);
    expect(await told(ada, 'mail__send')).toBe('ok');
    await told(ada, 'web__fetch');
    expect(await told(ada, 'mail__send')).toMatch(/forbidden by later\/no-leak/);
  });

  test('B1.12: is asked only after the first of a pair where a confirmation is enough', async () => {
    const asked: unknown[] = [];
    let action = 'accept';
    const { hub, connectAs, sent } = await start(ALL + CONFIRMED);
    const ada = await connectAs('ada', era, {
      elicitation: ({ params }) => {
        asked.push(params?.['message']);
        return { action, ...(action === 'accept' && { content: {} }) };
      },
    });
    expect(await told(ada, 'mail__send')).toBe('ok');
    expect(asked).toEqual([]);
    await told(ada, 'web__fetch');
    expect(await told(ada, 'mail__send')).toBe('ok');
    expect(asked).toEqual([expect.stringMatching(/Strangers may have asked.*mail__send/)]);
    action = 'decline';
    expect(await told(ada, 'mail__send')).toMatch(/not confirmed/);
    expect([asked.length, sent()]).toEqual([2, 2]);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([{ error: 'policy_denied' }]);
  });

  test('B1.12: is refused where the flow began while a person was asked', async () => {
    const { hub, connectAs, sent } = await start(
      `${ALL}${NO_LEAK}@confirm("Sure?")\npermit(principal, action == Action::"call", resource in Connector::"mail");`,
    );
    const ada: McpClient = await connectAs('ada', era, {
      elicitation: async () => {
        await told(ada, 'web__fetch');
        return { action: 'accept', content: {} };
      },
    });
    expect(await told(ada, 'mail__send')).toMatch(DENIED);
    expect(sent()).toBe(0);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([{ error: 'flow_denied' }]);
  });

  test('B1.12: goes on with a call that asks, though that call has left its own tags', async () => {
    const upstream = keep(await startAskingUpstream(era));
    const once =
      'forbid(principal, action == Action::"call", resource in Connector::"asking") when { context.seen.contains("once") };';
    const { hub, connectAs } = await start(ALL + once);
    await addConnector(hub, 'asking', upstream.url, { tags: ['once'] });
    const ada = await connectAs('ada', era, {
      elicitation: () => ({ action: 'accept', content: { word: 'w' } }),
    });
    expect(await told(ada, 'asking__form', { label: 'first', rounds: 2 })).toBe('ok');
    expect(await told(ada, 'asking__form', { label: 'second' })).toMatch(/has used before/);
    expect(upstream.ledger).toEqual(['first']);
  });
});

test('B1.12: two sessions of one agent are two conversations', async () => {
  const { connectAs } = await start();
  const one = await connectAs('ada', 'legacy');
  const other = await connectAs('ada', 'legacy');
  await told(one, 'web__fetch');
  expect(await told(one, 'mail__send')).toMatch(DENIED);
  expect(await told(other, 'mail__send')).toBe('ok');
});

test('B1.12: without a session all that an agent does is one conversation, on plain routes too', async () => {
  const { hub, connectAs, sent } = await start();
  const modern = await connectAs('ada', 'modern');
  const legacy = await connectAs('ada', 'legacy');
  await rest(hub, 'web__fetch');
  expect(await rest(hub, 'mail__send')).toMatch(DENIED);
  expect(await told(modern, 'mail__send')).toMatch(DENIED);
  expect(await told(legacy, 'mail__send')).toBe('ok');
  expect(sent()).toBe(1);
  expect(await eventsOf(hub, 'call.refused')).toMatchObject([
    { error: 'flow_denied' },
    { error: 'flow_denied' },
  ]);
});

test('B1.12: who gets the kept answer of another conversation has used its tool', async () => {
  const { hub, connectAs } = await start(ALL + NO_LEAK, { idempotencyKeys: true });
  const meta = { 'crosspoint/idempotencyKey': 'k' };
  const one = await connectAs('ada', 'legacy');
  const other = await connectAs('ada', 'legacy');
  for (const client of [one, other])
    await client.request('tools/call', { name: 'web__fetch', arguments: {}, _meta: meta });
  expect(await eventsOf(hub, 'call.repeated')).toHaveLength(1);
  expect(await told(other, 'mail__send')).toMatch(DENIED);
});

test('B1.12: explain says what would be decided after something was used', async () => {
  const { hub } = await start();
  const explain = async (seen?: readonly string[]) =>
    (await admin(hub, 'POST', '/policies/explain', { agent: 'ada', tool: 'mail__send', seen })).body;
  expect(await explain()).toMatchObject({ decision: 'allow' });
  expect(await explain(['other'])).toMatchObject({ decision: 'allow' });
  expect(await explain(['untrusted', 'untrusted', 'other'])).toMatchObject({
    decision: 'deny',
    policies: ['flows/no-leak'],
    reason: expect.stringMatching(DENIED) as string,
    listed: true,
  });
});

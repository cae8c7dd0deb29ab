import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** A modern client answers by calling again. What it brings back is worth something only to itself, for this call, once. */

const keep = closeAfterEach();
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };
const ACCEPT = { action: 'accept', content: { word: 'yes' } };

type Era = 'legacy' | 'modern';

function agent(
  hub: TestHub,
  who: keyof typeof KEYS,
  era: Era = 'modern',
  capabilities: JsonObject = CAPABILITIES,
) {
  return openRawAgent({ url: `${hub.url}/mcp`, key: KEYS[who], era, capabilities });
}

function configFor(url: string) {
  return {
    config: {
      connectors: { asking: { url } },
      agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': 'permit(principal, action, resource);' },
  };
}

async function start(era: Era) {
  const upstream = keep(await startAskingUpstream(era));
  const hub = keep(await startTestHub(configFor(upstream.url)));
  await waitForSync(hub, 'asking');
  return { hub, upstream };
}

const call = (label: string, more: JsonObject = {}, tool = 'form'): JsonObject => ({
  name: `asking__${tool}`,
  arguments: { label },
  ...more,
});

async function begin(client: RawAgent, label: string): Promise<{ key: string; requestState: string }> {
  const { message } = await client.request('tools/call', call(label));
  const result = message?.['result'] as { inputRequests: JsonObject; requestState: string };
  expect(result).toMatchObject({ resultType: 'input_required' });
  return { key: Object.keys(result.inputRequests)[0] as string, requestState: result.requestState };
}

const INVALID = { message: { error: { code: -32602 } } };

describe.each(['legacy', 'modern'] as const)('a %s upstream', (era) => {
  test('another principal, another request, an altered state and a used one are refused; the call goes on', async () => {
    const { hub, upstream } = await start(era);
    const [ada, bob] = [await agent(hub, 'ada'), await agent(hub, 'bob')];
    const { key, requestState } = await begin(ada, 'one');
    const inputResponses = { [key]: ACCEPT };
    expect(await bob.request('tools/call', call('one', { inputResponses, requestState }))).toMatchObject(
      INVALID,
    );
    expect(await ada.request('tools/call', call('two', { inputResponses, requestState }))).toMatchObject(
      INVALID,
    );
    const altered = `${requestState.slice(0, -2)}AA`;
    expect(
      await ada.request('tools/call', call('one', { inputResponses, requestState: altered })),
    ).toMatchObject(INVALID);
    // Where no call goes on it means nothing, whoever brings it.
    for (const anybody of [ada, bob]) await anybody.request('tools/list', { requestState });
    expect(upstream.ledger).toEqual([]);
    const done = await ada.request('tools/call', call('one', { inputResponses, requestState }));
    expect(done.message).toMatchObject({ result: { resultType: 'complete' } });
    expect(await ada.request('tools/call', call('one', { inputResponses, requestState }))).toMatchObject(
      INVALID,
    );
    expect(upstream.ledger).toEqual(['one']);
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(1);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'ok' }]);
  });

  test('who brings no answer is asked again', async () => {
    const { hub, upstream } = await start(era);
    const ada = await agent(hub, 'ada');
    const { requestState } = await begin(ada, 'one');
    const again = await ada.request(
      'tools/call',
      call('one', { inputResponses: { x: ACCEPT }, requestState }),
    );
    const asked = again.message?.['result'] as { inputRequests: JsonObject; requestState: string };
    const [key] = Object.keys(asked.inputRequests);
    const done = await ada.request(
      'tools/call',
      call('one', { inputResponses: { [key as string]: ACCEPT }, requestState: asked.requestState }),
    );
    expect(done.message).toMatchObject({ result: { resultType: 'complete' } });
    expect(upstream.ledger).toEqual(['one']);
  });

  test('the policy of now decides: a call that is forbidden meanwhile is not continued, and is taken back', async () => {
    const { hub, upstream } = await start(era);
    const ada = await agent(hub, 'ada');
    const { key, requestState } = await begin(ada, 'one');
    hub.running.hub.policy.load([{ id: 'none', text: 'forbid(principal, action, resource);' } as never]);
    const refused = await ada.request(
      'tools/call',
      call('one', { inputResponses: { [key]: ACCEPT }, requestState }),
    );
    expect(JSON.stringify(refused.message)).toMatch(/Unknown tool|Policy denies/);
    await until(() => !upstream.running.has('one'), 'the call to be taken back');
    expect(upstream.ledger).toEqual([]);
    await expect.poll(() => eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(await eventsOf(hub, 'call.refused')).toHaveLength(1);
    expect(hub.running.hub.held.size).toBe(0);
  });

  test('one agent can have eight calls wait, and no other agent suffers from it', async () => {
    const { hub, upstream } = await start(era);
    const [ada, bob] = [await agent(hub, 'ada'), await agent(hub, 'bob')];
    for (let index = 0; index < 8; index++) await begin(ada, `a${index}`);
    const { message } = await ada.request('tools/call', call('a8'));
    expect(message).toMatchObject({ error: { message: expect.stringMatching(/wait for answers/) } });
    const { key, requestState } = await begin(bob, 'b');
    const done = await bob.request(
      'tools/call',
      call('b', { inputResponses: { [key]: ACCEPT }, requestState }),
    );
    expect(done.message).toMatchObject({ result: { resultType: 'complete' } });
    await hub.running.hub.held.close();
    await until(() => upstream.running.size === 0, 'the calls to be taken back');
    expect(await eventsOf(hub, 'call.finished')).toHaveLength(10);
  });
});

test('a call that waits at a legacy upstream does not outlive the hub, and its caller is told', async () => {
  const upstream = keep(await startAskingUpstream('legacy'));
  const first = await startTestHub(configFor(upstream.url));
  await waitForSync(first, 'asking');
  const { key, requestState } = await begin(await agent(first, 'ada'), 'one');
  await first.running.hub.held.close();
  await until(() => upstream.running.size === 0, 'the call to be taken back');
  const ada = await agent(first, 'ada');
  const { message } = await ada.request(
    'tools/call',
    call('one', { inputResponses: { [key]: ACCEPT }, requestState }),
  );
  expect(message).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/call again/) }] },
  });
  await first.close();
});

test('a call between two rounds of a modern upstream survives the hub', async () => {
  const upstream = keep(await startAskingUpstream('modern'));
  const first = await startTestHub(configFor(upstream.url));
  const { folder } = first;
  await waitForSync(first, 'asking');
  const { key, requestState } = await begin(await agent(first, 'ada'), 'one');
  await first.running.stop();
  const second = keep(await startTestHub({ ...configFor(upstream.url), folder }));
  await waitForSync(second, 'asking');
  const ada = await agent(second, 'ada');
  const { message } = await ada.request(
    'tools/call',
    call('one', { inputResponses: { [key]: ACCEPT }, requestState }),
  );
  expect(message).toMatchObject({ result: { resultType: 'complete' } });
  expect(upstream.ledger).toEqual(['one']);
  expect(await eventsOf(second, 'call.intended')).toHaveLength(2);
  expect(await eventsOf(second, 'call.finished')).toMatchObject([
    { outcome: 'cancelled' },
    { outcome: 'ok' },
  ]);
  await first.close();
});

describe('an upstream that wants a page to be visited first', () => {
  const PAGE = { mode: 'url', elicitationId: 'e1', url: 'https://sign.example/in?s=1', message: 'Sign in' };
  async function startVisited(page = PAGE) {
    let visited = false;
    const script: UpstreamScript = {
      revision: '2025-11-25',
      tools: [{ name: 'form', inputSchema: { type: 'object' } }],
      call: (_name, _args, { rpc }, response) => {
        if (visited) return { content: [{ type: 'text', text: 'done' }] };
        const error = { code: -32_042, message: 'Sign in first', data: { elicitations: [page] } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error }));
        return undefined;
      },
    };
    const upstream = keep(await startUpstream(script));
    const hub = keep(await startTestHub(configFor(upstream.url)));
    await waitForSync(hub, 'asking');
    return { hub, upstream, visit: () => (visited = true) };
  }

  test('a modern client is asked to, and the call is made when it comes back', async () => {
    const { hub, visit } = await startVisited();
    const ada = await agent(hub, 'ada');
    const { message } = await ada.request('tools/call', call('x'));
    const { inputRequests, requestState } = (message as JsonObject)['result'] as {
      inputRequests: JsonObject;
      requestState: string;
    };
    expect(Object.values(inputRequests)).toEqual([
      {
        method: 'elicitation/create',
        params: { mode: 'url', url: PAGE.url, message: 'asking: Sign in' },
      },
    ]);
    visit();
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: 'accept' }]),
    );
    const done = await ada.request('tools/call', call('x', { inputResponses, requestState }));
    expect(done.message).toMatchObject({ result: { content: [{ text: 'done' }] } });
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(1);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'ok' }]);
  });

  test('one that will not visit it gets no call', async () => {
    const { hub, upstream } = await startVisited();
    const ada = await agent(hub, 'ada');
    const { message } = await ada.request('tools/call', call('x'));
    const { requestState } = (message as JsonObject)['result'] as { requestState: string };
    const inputResponses = { 'page-1': { action: 'decline' } };
    const done = await ada.request('tools/call', call('x', { inputResponses, requestState }));
    expect(done.message).toMatchObject({ result: { isError: true } });
    expect(upstream.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('a legacy client that knows such pages is told of them; one that does not is told where they are', async () => {
    const { hub } = await startVisited();
    const knows = await agent(hub, 'ada', 'legacy');
    expect((await knows.request('tools/call', call('x'))).message).toMatchObject({
      error: { code: -32_042, data: { elicitations: [PAGE] } },
    });
    const not = await agent(hub, 'ada', 'legacy', {});
    const { message } = await not.request('tools/call', call('x'));
    expect(message).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringMatching(/sign\.example/) }] },
    });
    expect(JSON.stringify(message)).not.toContain('s=1');
  });

  test.each(['legacy', 'modern'] as const)('U-15: a %s client is sent to no script', async (era) => {
    const { hub } = await startVisited({ ...PAGE, url: 'javascript:alert(1)' });
    const { message } = await (await agent(hub, 'ada', era)).request('tools/call', call('x'));
    expect(message).toMatchObject({ error: { code: -32_603, message: 'Sign in first' } });
    expect(JSON.stringify(message)).not.toContain('javascript');
  });
});

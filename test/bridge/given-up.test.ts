import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { until } from '../support/http/until.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What an upstream hears when nobody waits for its answer any longer, message by message. */

const keep = closeAfterEach();
const ERAS = ['legacy', 'modern'] as const;
const SSE = { 'content-type': 'text/event-stream' };
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };
const QUESTIONS: Readonly<Record<string, object>> = {
  'elicitation/create': { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  'sampling/createMessage': { messages: [], maxTokens: 1 },
  'roots/list': {},
};

interface OpenCall {
  readonly id: unknown;
  readonly response: ServerResponse;
  isClosed: boolean;
}

/** An upstream whose tool never ends, and asks before that where it is told to. */
async function start(era: (typeof ERAS)[number], asks: readonly string[] = [], connector: object = {}) {
  const calls: OpenCall[] = [];
  const answers: Record<string, JsonObject> = {};
  const script: UpstreamScript = {
    era,
    revision: '2025-11-25',
    tools: [{ name: 't', inputSchema: { type: 'object' } }],
    intercept: ({ rpc }, response) => {
      if (rpc.method === 'tools/call') {
        const call = { id: rpc.id, response, isClosed: false };
        response.writeHead(200, SSE).write(': open\n\n');
        void once(response, 'close').then(() => (call.isClosed = true));
        for (const method of asks)
          response.write(
            `data: ${JSON.stringify({ jsonrpc: '2.0', id: method, method, params: QUESTIONS[method] })}\n\n`,
          );
        return calls.push(call) > 0;
      }
      if (rpc.method !== undefined || rpc.id === undefined) return false;
      const { result, error } = rpc as { result?: JsonObject; error?: JsonObject };
      // Questions are named after their methods.
      answers[rpc.id as string] = result ?? { code: error?.['code'] ?? null };
      response.writeHead(202).end();
      return true;
    },
  };
  const upstream = keep(await startUpstream(script));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { up: { url: upstream.url, ...connector } },
        policies: ['all.cedar'],
      },
      files: { 'all.cedar': 'permit(principal, action, resource);' },
    }),
  );
  await admin(hub, 'POST', '/agents', { id: 'ada' });
  const key = String((await admin(hub, 'POST', '/agents/ada/keys', {})).body['key']);
  await waitForSync(hub, 'up');
  /** Which of its calls the upstream was told to stop. */
  const cancelled = () =>
    upstream.seen
      .filter(({ rpc }) => rpc.method === 'notifications/cancelled')
      .map(({ rpc }) => rpc.params?.['requestId']);
  const open = (clientEra: (typeof ERAS)[number]) =>
    openRawAgent({ url: `${hub.url}/mcp`, key, era: clientEra, capabilities: CAPABILITIES });
  return { hub, key, calls, answers, cancelled, open };
}

/** A call that can be taken back. */
function post(url: string, key: string, headers: object, id: number, params: object) {
  const aborter = new AbortController();
  const answer = fetch(url, {
    method: 'POST',
    signal: aborter.signal,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  });
  answer.catch(() => {});
  return { aborter, answer };
}

const MODERN = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'up__t' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe.each(ERAS)('a %s upstream', (era) => {
  const expectTakenBack = async ({ calls, cancelled }: Awaited<ReturnType<typeof start>>) => {
    if (era === 'modern') {
      await until(() => calls[0]?.isClosed === true, 'the stream to be closed');
      expect(cancelled()).toEqual([]);
    } else await until(() => cancelled().length > 0, 'the cancellation');
    if (era === 'legacy') expect(cancelled()).toEqual([calls[0]?.id]);
  };

  test('B27: a legacy client that cancels takes the call back, under the id of this hop, and no other', async () => {
    const given = await start(era);
    const agent = await given.open('legacy');
    const headers = { 'mcp-session-id': agent.session ?? '' };
    const params = { name: 'up__t', arguments: {} };
    const first = post(`${given.hub.url}/mcp`, given.key, headers, 77, params);
    await until(() => given.calls.length === 1, 'the first call');
    post(`${given.hub.url}/mcp`, given.key, headers, 78, params);
    await until(() => given.calls.length === 2, 'the second call');
    expect(await agent.notify('notifications/cancelled', { requestId: 77 })).toBe(202);
    await first.answer.then((response) => response.text()).catch(() => {});
    const ended = () =>
      given.calls.filter(({ id, isClosed }) =>
        era === 'modern' ? isClosed : given.cancelled().includes(id),
      );
    await until(() => ended().length > 0, 'the end of the call');
    expect(given.cancelled()).toEqual(era === 'legacy' ? [given.calls[0]?.id] : []);
    expect(ended()).toEqual([given.calls[0]]);
    await agent.notify('notifications/cancelled', { requestId: 78 });
    await until(() => ended().length === 2, 'the end of the other');
    await expect
      .poll(async () => (await eventsOf(given.hub, 'call.finished')).map(({ outcome }) => outcome))
      .toEqual(['cancelled', 'cancelled']);
  });

  test('B28: a modern client that closes its stream takes the call back, before anything was answered too', async () => {
    const given = await start(era);
    const { aborter } = post(`${given.hub.url}/mcp`, given.key, MODERN, 5, {
      name: 'up__t',
      arguments: {},
      _meta: ENVELOPE,
    });
    await until(() => given.calls.length === 1, 'the call');
    aborter.abort();
    await expectTakenBack(given);
  });

  test('B29: a legacy client that only loses its connection takes nothing back; the longest time does', async () => {
    const given = await start(era, [], { timeouts: { requestMs: 1_500, totalMs: 1_500 } });
    const agent = await given.open('legacy');
    const { aborter } = post(
      `${given.hub.url}/mcp`,
      given.key,
      { 'mcp-session-id': agent.session ?? '' },
      9,
      {
        name: 'up__t',
        arguments: {},
      },
    );
    await until(() => given.calls.length === 1, 'the call');
    aborter.abort();
    const attached = await agent.request('tools/call', { name: 'up__t', arguments: {} });
    expect([attached.status, attached.message]).toMatchObject([200, { result: { isError: true } }]);
    await until(
      () =>
        era === 'modern' ? given.calls.every(({ isClosed }) => isClosed) : given.cancelled().length === 2,
      'both to be taken back',
    );
    const outcomes = (await eventsOf(given.hub, 'call.finished')).map(({ outcome }) => outcome);
    expect(outcomes).not.toContain('cancelled');
  });
});

describe('B17: questions of a legacy upstream whose caller does not come back', () => {
  const ENDED = {
    'elicitation/create': { action: 'cancel' },
    'sampling/createMessage': { code: -1 },
    'roots/list': { code: -32_603 },
  };

  async function park(era: (typeof ERAS)[number]) {
    const given = await start('legacy', Object.keys(QUESTIONS), { isolation: 'per_principal' });
    const agent = await given.open(era);
    const params = { name: 'up__t', arguments: {} };
    return { ...given, agent, params };
  }

  test.each([
    ['is removed', (hub: Parameters<typeof admin>[0]) => admin(hub, 'DELETE', '/agents/ada')],
    [
      'is switched off',
      (hub: Parameters<typeof admin>[0]) => admin(hub, 'PATCH', '/agents/ada', { enabled: false }),
    ],
  ])('because its agent %s are answered, and the call is taken back', async (_what, act) => {
    const { hub, agent, params, answers, cancelled, calls } = await park('modern');
    const { message } = await agent.request('tools/call', params);
    expect(message).toMatchObject({ result: { resultType: 'input_required' } });
    expect(answers).toEqual({});
    expect((await act(hub)).status).toBeLessThan(300);
    await until(() => cancelled().length === 1, 'the cancellation');
    await until(() => Object.keys(answers).length === 3, 'the answers');
    expect(answers).toEqual(ENDED);
    expect(cancelled()).toEqual([calls[0]?.id]);
  });

  test('because it cancels while it is being asked are answered too', async () => {
    const { hub, key, agent, params, answers, cancelled, calls } = await park('legacy');
    const headers = { 'mcp-session-id': agent.session ?? '' };
    post(`${hub.url}/mcp`, key, headers, 41, params);
    await until(() => calls.length === 1, 'the call');
    await agent.notify('notifications/cancelled', { requestId: 41 });
    await until(() => cancelled().length === 1, 'the cancellation');
    await until(() => Object.keys(answers).length === 3, 'the answers');
    expect(answers).toEqual(ENDED);
  });

  test('B28: a client that hangs up after it was asked takes nothing back', async () => {
    const { hub, key, params, calls, cancelled } = await park('modern');
    const meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': CAPABILITIES };
    const { aborter, answer } = post(`${hub.url}/mcp`, key, MODERN, 5, { ...params, _meta: meta });
    expect(await (await answer).json()).toMatchObject({ result: { resultType: 'input_required' } });
    aborter.abort();
    await until(() => hub.running.hub.held.size === 1, 'it to be held');
    expect([calls[0]?.isClosed, cancelled()]).toEqual([false, []]);
  });
});

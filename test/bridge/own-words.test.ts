import { describe, expect, test } from 'vitest';
import { ProtocolError, type JsonObject } from '../../src/mcp/jsonrpc/index.js';
import type { InputHandler } from '../../src/mcp/client/index.js';
import { connectAgent } from '../support/agent-client.js';
import { until } from '../support/http/until.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What a client says when it does not want to, as the upstream hears it. */

const keep = closeAfterEach();
const ERAS = ['legacy', 'modern'] as const;
const QUESTIONS: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  'sampling/createMessage': { messages: [], maxTokens: 1 },
  'roots/list': {},
};
const METHODS = Object.keys(QUESTIONS);

/** Its tool asks what its argument says, and ends when that is answered; without an argument it never ends. */
async function start(era: (typeof ERAS)[number]) {
  const heard: JsonObject[] = [];
  const reasons: unknown[] = [];
  let calls = 0;
  let end = (): void => {};
  const upstream = keep(
    await startUpstream({
      era,
      revision: '2025-11-25',
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      intercept: ({ rpc }, response) => {
        if (rpc.method === 'notifications/cancelled') reasons.push(rpc.params?.['reason']);
        if (rpc.method !== undefined || rpc.id === undefined) return false;
        const { result, error } = rpc as { result?: JsonObject; error?: JsonObject };
        heard.push(error ?? result ?? {});
        response.writeHead(202).end();
        end();
        return true;
      },
      call: (_name, args, { rpc }, response) => {
        calls++;
        const { method } = args as { method?: string };
        const given = rpc.params?.['inputResponses'] as JsonObject | undefined;
        if (given !== undefined) heard.push(given['q'] as JsonObject);
        if (given !== undefined) return { content: [] };
        const params = QUESTIONS[method ?? ''];
        if (era === 'modern' && params !== undefined)
          return { resultType: 'input_required', inputRequests: { q: { method, params } } };
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
        const write = (message: object) =>
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
        end = () => write({ id: rpc.id, result: { content: [] } });
        if (params !== undefined) write({ id: 'q', method, params });
        return undefined;
      },
    }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  return { hub, heard, reasons, calls: () => calls };
}

describe('an error with which a client refuses a question', () => {
  async function refuse(era: (typeof ERAS)[number], method: string) {
    const given = await start(era);
    const no: InputHandler = () => {
      throw new ProtocolError(-32_099, 'not before noon', { until: 12 });
    };
    const client = keep(
      await connectAgent(given.hub, {
        era: 'legacy',
        handlers: { elicitation: no, sampling: no, roots: no },
      }),
    );
    return { ...given, result: await client.callTool('up__t', { method }) };
  }

  test.each(METHODS)('%s: is the answer that a legacy upstream gets', async (method) => {
    const { heard, result } = await refuse('legacy', method);
    expect(heard).toEqual([{ code: -32_099, message: 'not before noon', data: { until: 12 } }]);
    expect(result).toEqual({ content: [] });
  });

  test('at a modern upstream a form counts as cancelled', async () => {
    const { heard, result } = await refuse('modern', 'elicitation/create');
    expect(heard).toEqual([{ action: 'cancel' }]);
    expect(result).toMatchObject({ content: [] });
  });

  test.each(METHODS.slice(1))('at a modern upstream %s ends the call', async (method) => {
    const { heard, result } = await refuse('modern', method);
    expect(heard).toEqual([]);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('refused') }] });
  });
});

describe('an error with which a client refuses what a task asks', () => {
  /** Its task asks for a sample, and ends when that is answered. */
  async function refuse(era: (typeof ERAS)[number]) {
    const heard: JsonObject[] = [];
    let end = (): void => {};
    let isCancelled = false;
    const at = '2026-01-01T00:00:00.000Z';
    const task = (): JsonObject => ({
      taskId: 't1',
      status: isCancelled ? 'cancelled' : heard.length > 0 ? 'completed' : 'input_required',
      createdAt: at,
      lastUpdatedAt: at,
      ...(era === 'legacy' ? { ttl: 60_000, pollInterval: 50 } : { ttlMs: 60_000, pollIntervalMs: 50 }),
    });
    const method = 'sampling/createMessage';
    const params = QUESTIONS[method]!;
    const upstream = keep(
      await startUpstream({
        era,
        revision: '2025-11-25',
        capabilities:
          era === 'legacy'
            ? { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
            : { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
        tools: [{ name: 't', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
        call: () => (era === 'legacy' ? { task: task() } : { ...task(), resultType: 'task' }),
        results: {
          'tasks/get': () =>
            era === 'legacy' ? task() : { ...task(), inputRequests: { q: { method, params } } },
          'tasks/cancel': () => {
            isCancelled = true;
            return {};
          },
        },
        intercept: ({ rpc }, response) => {
          if (rpc.method === 'tasks/result') {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            const write = (message: object) =>
              response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
            const meta = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } };
            end = () => void write({ id: rpc.id, result: { content: [] } });
            write({ id: 'q', method, params: { ...params, _meta: meta } });
            return true;
          }
          if (rpc.method !== undefined || rpc.id !== 'q') return false;
          heard.push((rpc as { error?: JsonObject }).error ?? {});
          response.writeHead(202).end();
          end();
          return true;
        },
      }),
    );
    const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url, era } } } }));
    await waitForSync(hub, 'up');
    const sampling: InputHandler = () => {
      throw new ProtocolError(-32_099, 'not before noon');
    };
    const client = keep(await connectAgent(hub, { era: 'legacy', handlers: { sampling } }));
    const started = await client.startTool('up__t', {}, { asTask: {} });
    if (started.type !== 'task') throw new Error('no task');
    return { heard, end: client.awaitTask(started.task), isCancelled: () => isCancelled };
  }

  test('is the answer that a legacy upstream gets, and the task goes on', async () => {
    const { heard, end } = await refuse('legacy');
    expect(await end).toMatchObject({ content: [] });
    expect(heard).toEqual([{ code: -32_099, message: 'not before noon' }]);
  });

  test('is nothing that a modern upstream can be told: the task is cancelled', async () => {
    const { end, isCancelled } = await refuse('modern');
    await expect(end).rejects.toThrow('cancelled');
    expect(isCancelled()).toBe(true);
  });
});

describe('the reason with which a client cancels a call', () => {
  async function cancel(reason: unknown) {
    const { hub, reasons, calls } = await start('legacy');
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
    void fetch(`${hub.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hub.localKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': agent.session ?? '',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 77,
        method: 'tools/call',
        params: { name: 'up__t', arguments: {} },
      }),
    }).catch(() => {});
    await until(() => calls() === 1, 'the call');
    await agent.notify('notifications/cancelled', { requestId: 77, reason: reason as string });
    await until(() => reasons.length === 1, 'the cancellation');
    return reasons;
  }

  test('reaches a legacy upstream', async () => {
    expect(await cancel('the user went home ü')).toEqual(['the user went home ü']);
  });

  test('is cut where it is very long', async () => {
    expect(await cancel('x'.repeat(5_000))).toEqual(['x'.repeat(1_000)]);
  });

  test.each([[undefined], [''], [7]])('is a word of the hub where it is %j', async (reason) => {
    expect(await cancel(reason)).toEqual(['aborted']);
  });
});

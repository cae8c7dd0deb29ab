import { describe, expect, test } from 'vitest';
import type { InputHandler } from '../../src/mcp/client/index.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { connectAgent } from '../support/agent-client.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What becomes of the questions of a task when something else happens before they are answered. */

const keep = closeAfterEach();
const ERAS = ['legacy', 'modern'] as const;
type Era = (typeof ERAS)[number];
const RELATED = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } };

/** Its one task asks what it is told to, and has the status that it is told. */
async function start(era: Era) {
  const open = new Map<string, JsonObject>();
  const answers: [string, unknown][] = [];
  let status = 'working';
  let failing = 0;
  let write: ((message: object) => void) | undefined;
  let resultId: unknown;
  const state = (): JsonObject => ({
    taskId: 't1',
    status: status === 'working' && open.size > 0 ? 'input_required' : status,
    createdAt: '2026-01-01T00:00:00.000Z',
    lastUpdatedAt: '2026-01-01T00:00:00.000Z',
    ...(era === 'legacy' ? { ttl: 60_000, pollInterval: 50 } : { ttlMs: 60_000, pollIntervalMs: 50 }),
  });
  const question = (key: string): JsonObject => ({
    method: 'elicitation/create',
    params: { mode: 'form', message: key, requestedSchema: { type: 'object', properties: {} } },
  });
  const ask = (key: string): void => {
    open.set(key, question(key));
    const params = { ...(question(key)['params'] as JsonObject), _meta: RELATED };
    write?.({ id: key, method: 'elicitation/create', params });
  };
  const answered = (key: string, answer: unknown): void => {
    open.delete(key);
    answers.push([key, answer]);
  };
  const end = (how: 'completed' | 'cancelled'): void => {
    status = how;
    const { [how]: outcome } = {
      completed: { result: { content: [] } },
      cancelled: { error: { code: -32_602, message: 'cancelled' } },
    };
    write?.({ id: resultId, ...outcome });
  };
  const upstream = keep(
    await startUpstream({
      era,
      revision: '2025-11-25',
      capabilities:
        era === 'legacy'
          ? { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
          : { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      tools: [{ name: 't', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      call: () => (era === 'legacy' ? { task: state() } : { ...state(), resultType: 'task' }),
      results: {
        'tasks/get': () => ({
          ...state(),
          ...(era === 'modern' && { inputRequests: Object.fromEntries(open) }),
          ...(status === 'completed' && { result: { content: [] } }),
        }),
        'tasks/cancel': () => {
          end('cancelled');
          return era === 'legacy' ? state() : {};
        },
        'tasks/update': ({ inputResponses }) => {
          for (const [key, answer] of Object.entries(inputResponses as JsonObject)) answered(key, answer);
          return {};
        },
      },
      intercept: ({ rpc }, response) => {
        if (rpc.method === 'tasks/get' && failing > 0) {
          failing--;
          response.writeHead(503).end();
          return true;
        }
        if (rpc.method === 'tasks/result') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          write = (message) =>
            void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
          resultId = rpc.id;
          for (const key of open.keys()) ask(key);
          if (status !== 'working') end('completed');
          return true;
        }
        if (rpc.method !== undefined || typeof rpc.id !== 'string') return false;
        answered(rpc.id, (rpc as { result?: unknown }).result);
        response.writeHead(202).end();
        return true;
      },
    }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url, era } } } }));
  await waitForSync(hub, 'up');
  return { hub, ask, end, answers, fail: () => (failing = 1), left: () => failing };
}

/** Somebody who thinks for ever, and what is still before him. */
function thinker() {
  const asked: string[] = [];
  const takenBack: string[] = [];
  const elicitation: InputHandler = ({ params }, { signal }) =>
    new Promise((_resolve, reject) => {
      const message = params?.['message'] as string;
      asked.push(message);
      signal.addEventListener('abort', () => {
        takenBack.push(message);
        reject(new Error('not any more'));
      });
    });
  return { asked, takenBack, elicitation };
}

describe.each(ERAS)('a task of a %s upstream', (era) => {
  test.each(['tasks/result', 'tools/call'])(
    'that ends while somebody thinks: %s ends, and the question is taken back',
    async (method) => {
      const { hub, ask, end, answers } = await start(era);
      const { asked, takenBack, elicitation } = thinker();
      const client = keep(await connectAgent(hub, { era: 'legacy', handlers: { elicitation } }));
      const result =
        method === 'tools/call'
          ? client.callTool('up__t', {})
          : client.startTool('up__t', {}, { asTask: {} }).then(async (started) => {
              if (started.type !== 'task') throw new Error('no task');
              return client.request('tasks/result', { taskId: started.task.taskId });
            });
      ask('first');
      await expect.poll(() => asked).toEqual([expect.stringContaining('first')]);
      end('completed');
      expect(await result).toMatchObject({ content: [] });
      await expect.poll(() => takenBack).toEqual(asked);
      expect(answers.filter(([, answer]) => (answer as JsonObject)['action'] === 'accept')).toEqual([]);
    },
  );

  test('that is cancelled while somebody thinks has no result, and asks no more', async () => {
    const { hub, ask } = await start(era);
    const { asked, takenBack, elicitation } = thinker();
    const client = keep(await connectAgent(hub, { era: 'legacy', handlers: { elicitation } }));
    const started = await client.startTool('up__t', {}, { asTask: {} });
    if (started.type !== 'task') throw new Error('no task');
    const { taskId } = started.task;
    const result = client.request('tasks/result', { taskId }).catch((error: unknown) => error);
    ask('first');
    await expect.poll(() => asked).toHaveLength(1);
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ status: 'cancelled' });
    expect(await result).toMatchObject({ code: -32_602 });
    await expect.poll(() => takenBack).toEqual(asked);
  });

  test('can ask again before its first question is answered', async () => {
    const { hub, ask } = await start(era);
    const { asked, elicitation } = thinker();
    const client = keep(await connectAgent(hub, { era: 'legacy', handlers: { elicitation } }));
    const started = await client.startTool('up__t', {}, { asTask: {} });
    if (started.type !== 'task') throw new Error('no task');
    void client.request('tasks/result', { taskId: started.task.taskId }).catch(() => {});
    ask('first');
    await expect.poll(() => asked).toHaveLength(1);
    ask('second');
    await expect.poll(() => asked).toHaveLength(2);
  });

  test('that cannot be looked at for a moment still waits for its answer', async () => {
    const { hub, ask, answers, fail, left } = await start(era);
    const accepting: (() => void)[] = [];
    const client = keep(
      await connectAgent(hub, {
        era: 'legacy',
        handlers: {
          elicitation: () =>
            new Promise((resolve) => accepting.push(() => resolve({ action: 'accept', content: {} }))),
        },
      }),
    );
    const started = await client.startTool('up__t', {}, { asTask: {} });
    if (started.type !== 'task') throw new Error('no task');
    void client.request('tasks/result', { taskId: started.task.taskId }).catch(() => {});
    ask('first');
    await expect.poll(() => accepting).toHaveLength(1);
    fail();
    await expect.poll(left, { timeout: 5_000 }).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(answers).toEqual([]);
    accepting[0]?.();
    await expect.poll(() => answers).toEqual([['first', { action: 'accept', content: {} }]]);
  });
});

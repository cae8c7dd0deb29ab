import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../src/mcp/jsonrpc/index.js';
import { TASKS_EXTENSION, type InputRequest } from '../../../src/mcp/model/index.js';
import {
  createMcpServer,
  createNotifier,
  type Handler,
  type McpRequest,
  type McpServer,
  type TaskCreated,
} from '../../../src/mcp/server/index.js';
import { countListeners } from '../count-listeners.js';
import { Changes } from '../fixture/changes.js';
import { Tasks } from '../fixture/tasks.js';
import { formQuestion, OTHER_QUESTIONS } from '../questions.js';

/** What the server has done so far, and what it is busy with. */
export interface Report {
  /** Labels of calls that were carried out to the end. */
  readonly ledger: readonly string[];
  readonly cancelled: readonly string[];
  readonly running: readonly string[];
  readonly listeners: number;
}

export interface EverydayServer {
  readonly server: McpServer;
  report(): Report;
}

const TEXT = { type: 'string' };
const SCHEMA = { type: 'object', properties: { label: TEXT }, required: ['label'] };
const ASKING: Readonly<Record<string, (label: string) => InputRequest>> = {
  form: (label) => formQuestion(label, { word: TEXT }),
  ...OTHER_QUESTIONS,
};
const TOOLS = [...Object.keys(ASKING), 'progress', 'logging', 'wait', 'touch', 'toggle', 'task', 'report'];
const TASK_MS = 100;

/**
 * A server with one tool for everything that is more than a question and an answer. Everything it says names its caller's
 * label, and the addresses of its resources name its place.
 */
export function createEverydayServer(era: 'legacy' | 'modern', place: string): EverydayServer {
  const notifier = createNotifier();
  const tasks = new Tasks(new Changes());
  const ledger: string[] = [];
  const cancelled: string[] = [];
  const running = new Set<string>();
  let hasExtra = false;
  const listeners = countListeners(notifier);
  const report = (): Report => ({ ledger, cancelled, running: [...running], listeners: listeners.count() });

  const WORK: Readonly<Record<string, (request: McpRequest, label: string) => unknown>> = {
    progress: (request, label) => {
      for (const progress of [1, 2, 3]) request.progress({ progress, total: 3, message: label });
    },
    logging: (request, label) => request.log({ level: 'info', data: label }),
    wait: (request, label) =>
      new Promise<void>((resolve) => {
        request.signal.addEventListener('abort', () => {
          cancelled.push(label);
          resolve();
        });
      }),
    touch: (_request, label) => notifier.resourceUpdated(`test://${place}/${label}`),
    toggle: () => {
      hasExtra = !hasExtra;
      notifier.toolsChanged();
    },
  };

  function startTask(request: McpRequest, label: string): TaskCreated {
    return tasks.start(request, async ({ signal }) => {
      running.add(label);
      try {
        await sleep(TASK_MS, undefined, { signal });
        ledger.push(label);
        return text(label);
      } finally {
        running.delete(label);
      }
    });
  }

  async function call(request: McpRequest): Promise<JsonObject | TaskCreated> {
    const { name, arguments: args } = request.params as { name: string; arguments: { label: string } };
    if (name === 'report') return text(report());
    const { label } = args;
    if (name === 'task') return startTask(request, label);
    running.add(label);
    try {
      const question = ASKING[name];
      if (question === undefined) {
        await WORK[name]?.(request, label);
        if (name !== 'wait') ledger.push(label);
        return text(label);
      }
      const { asked } = await request.askClient({ asked: question(label) });
      ledger.push(label);
      return text(asked);
    } finally {
      running.delete(label);
    }
  }

  const handlers: Record<string, Handler> = {
    'tools/list': () => ({
      tools: (hasExtra ? [...TOOLS, 'extra'] : TOOLS).map((name) => ({
        name,
        inputSchema: name === 'report' ? { type: 'object' } : SCHEMA,
        ...(name === 'task' && { execution: { taskSupport: 'required' } }),
      })),
    }),
    'tools/call': call,
    'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
    'prompts/get': () => ({ messages: [] }),
    'completion/complete': ({ params }) => {
      const { value } = params['argument'] as { value: string };
      return { completion: { values: [`${value}-1`, `${value}-2`] } };
    },
    'resources/list': () => ({
      resources: ['ada', 'bob', 'eve', 'dan'].map((name) => ({ uri: `test://${place}/${name}`, name })),
    }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ params }) => ({ contents: [{ uri: params['uri'] as string, text: '' }] }),
  };
  const server = createMcpServer({
    describe: {
      info: { name: 'everyday', version: '1' },
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: { subscribe: true },
        completions: {},
        logging: {},
        extensions: { [TASKS_EXTENSION]: {} },
      },
    },
    handlers,
    tasks: tasks.port,
    listen: listeners.listen,
    legacy: era === 'modern' ? 'off' : 'sessions',
  });
  return { server, report };
}

function text(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

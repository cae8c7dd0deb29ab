import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import {
  createMcpServer,
  createNodeServer,
  createNotifier,
  InputRequired,
  toNodeListener,
  type Handler,
  type McpRequest,
  type ServerOptions,
} from '../../src/mcp/server/index.js';
import type { ClientCapabilities, InputRequest } from '../../src/mcp/model/index.js';
import { countListeners } from './count-listeners.js';
import { formQuestion, OTHER_QUESTIONS } from './questions.js';

export interface AskingUpstream {
  readonly url: string;
  /** Calls that were carried out to the end, in order. */
  readonly ledger: readonly string[];
  /** What clients declared, by the label of the call. */
  readonly declared: ReadonlyMap<string, ClientCapabilities>;
  /** Calls under way, by label. */
  readonly running: ReadonlySet<string>;
  /** How often handlers were begun, by label. */
  readonly begun: ReadonlyMap<string, number>;
  /** `_meta` of calls as they came, by label, and the headers of all requests in order. */
  readonly metas: ReadonlyMap<string, unknown>;
  readonly headers: readonly IncomingHttpHeaders[];
  /** A resource is different now. */
  touch(uri: string): void;
  /** Sessions and listening clients it serves. */
  readonly listeners: () => number;
  close(): Promise<void>;
}

const TEXT = { type: 'string' };
const ANSWERING = {
  type: 'object',
  properties: { label: TEXT, rounds: { type: 'number' } },
  required: ['label'],
};

function form(label: string): InputRequest {
  return formQuestion(label, { word: TEXT, colour: { type: 'string', default: 'red' } });
}

const QUESTIONS: Readonly<Record<string, (label: string) => InputRequest>> = {
  form,
  ...OTHER_QUESTIONS,
  /** The label is where it leads. */
  page: (label) => ({
    method: 'elicitation/create',
    params: { mode: 'url', message: 'a page', url: label },
  }),
  /** The label is what it wants to know of other servers. */
  curious: (label) => ({
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 10, includeContext: label },
  }),
};

/** A server of one era, in this process, whose tools, prompt and resource ask before they answer. */
export async function startAskingUpstream(
  era: 'legacy' | 'modern',
  more: Partial<ServerOptions> = {},
): Promise<AskingUpstream> {
  const ledger: string[] = [];
  const declared = new Map<string, ClientCapabilities>();
  const running = new Set<string>();
  const begun = new Map<string, number>();
  const metas = new Map<string, unknown>();
  const headers: IncomingHttpHeaders[] = [];
  const notifier = createNotifier();
  const listeners = countListeners(notifier);

  async function ask(
    kind: string,
    label: string,
    rounds: number,
    request: McpRequest,
  ): Promise<JsonObject[]> {
    declared.set(label, request.client.capabilities);
    metas.set(label, request.params['_meta']);
    begun.set(label, (begun.get(label) ?? 0) + 1);
    running.add(label);
    request.onAbort(() => running.delete(label));
    try {
      const answers: JsonObject[] = [];
      for (let round = 0; round < rounds; round++) {
        const key = `${kind}-${round}`;
        const question = QUESTIONS[kind]?.(label);
        const got = await request.askClient({ [key]: question as InputRequest });
        answers.push(got[key] ?? {});
      }
      ledger.push(label);
      return answers;
    } finally {
      running.delete(label);
    }
  }

  const tools = [...Object.keys(QUESTIONS), 'both', 'state', 'echo', 'wait'].map((name) => ({
    name,
    inputSchema: ANSWERING,
  }));
  const handlers: Record<string, Handler> = {
    'tools/list': () => ({ tools }),
    'tools/call': async (request) => {
      const { name } = request.params as { name: string };
      const { label, rounds = 1 } = request.params['arguments'] as { label: string; rounds?: number };
      const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
      if (name === 'echo') {
        declared.set(label, request.client.capabilities);
        metas.set(label, request.params['_meta']);
        ledger.push(label);
        return text(label);
      }
      if (name === 'wait') {
        begun.set(label, 1);
        running.add(label);
        request.onAbort(() => running.delete(label));
        await new Promise(() => {});
      }
      if (name === 'both') {
        const answers = await request.askClient({ a: form(label), b: QUESTIONS['sampling']!(label) });
        ledger.push(label);
        return text(answers);
      }
      if (name === 'state') {
        const { state, responses } = request.resumed ?? {};
        if (state === (rounds === 1 ? label : `${label} again`)) {
          ledger.push(label);
          return text(responses);
        }
        return new InputRequired({ word: form(label) }, state === undefined ? label : `${label} again`);
      }
      return text(await ask(name, label, rounds, request));
    },
    'prompts/list': () => ({ prompts: [{ name: 'asking', arguments: [{ name: 'label', required: true }] }] }),
    'prompts/get': async (request) => {
      const { label } = request.params['arguments'] as { label: string };
      const answers = await ask('form', label, 1, request);
      return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(answers) } }] };
    },
    'resources/list': () => ({ resources: [{ uri: 'test://asking', name: 'asking' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': async (request) => {
      const answers = await ask('form', request.params['uri'] as string, 1, request);
      return { contents: [{ uri: 'test://asking', text: JSON.stringify(answers) }] };
    },
  };
  const server = createMcpServer({
    describe: {
      info: { name: 'asking', version: '1' },
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
    },
    ...more,
    handlers: { ...handlers, ...more.handlers },
    listen: listeners.listen,
    legacy: era === 'modern' ? 'off' : 'sessions',
  });
  const listener = toNodeListener(server);
  const http = createNodeServer((request, response) => {
    headers.push(request.headers);
    if (era === 'legacy' && request.headers['mcp-method'] !== undefined) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('unknown protocol version');
      request.resume();
    } else listener(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    ledger,
    declared,
    running,
    begun,
    metas,
    headers,
    touch: (uri) => notifier.notify({ method: 'notifications/resources/updated', params: { uri } }),
    listeners: listeners.count,
    async close() {
      await server.close(100);
      http.close();
      http.closeAllConnections();
    },
  };
}

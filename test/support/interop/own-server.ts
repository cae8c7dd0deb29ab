import {
  INVALID_PARAMS,
  isObject,
  ProtocolError,
  type Json,
  type JsonObject,
} from '../../../src/mcp/jsonrpc/index.js';
import type { ServerDescription } from '../../../src/mcp/model/index.js';
import {
  createMcpServer,
  createNotifier,
  toNodeListener,
  type Handler,
  type McpRequest,
  type McpServer,
  type Notifier,
  type ServerOptions,
} from '../../../src/mcp/server/index.js';
import { listen, Observed, type HttpServed } from './served.js';

const DESCRIPTION: ServerDescription = {
  info: { name: 'sdk-vs-own', version: '1' },
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
    logging: {},
  },
  instructions: 'For tests.',
};

const NAMES = ['Ada', 'Alan', 'Grace'];
const FORM: JsonObject = {
  type: 'object',
  properties: { colour: { type: 'string' }, sure: { type: 'boolean', default: true } },
};

function textMember(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

type ToolHandler = (request: McpRequest, args: JsonObject) => JsonObject | Promise<JsonObject>;

function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] };
}

function askingTools(): Readonly<Record<string, ToolHandler>> {
  return {
    ask: async (request) => {
      const params = { mode: 'form', message: 'Which colour?', requestedSchema: FORM };
      const { colour } = await request.askClient({ colour: { method: 'elicitation/create', params } });
      return text(JSON.stringify(colour));
    },
    sample: async (request) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
      const { model } = await request.askClient({
        model: { method: 'sampling/createMessage', params: { messages, maxTokens: 5 } },
      });
      return text(JSON.stringify(model?.['content']));
    },
    roots: async (request) => {
      const { roots } = await request.askClient({ roots: { method: 'roots/list' } });
      return text(JSON.stringify(roots?.['roots']));
    },
  };
}

function toolsOf(notifier: Notifier, observed: Observed): Readonly<Record<string, ToolHandler>> {
  let release: (() => void) | undefined;
  return {
    ...askingTools(),
    echo: (_request, { message }) =>
      typeof message === 'string'
        ? { ...text(message), structuredContent: { message } }
        : { ...text('message must be a string'), isError: true },
    grow: () => {
      notifier.toolsChanged();
      return text('grown');
    },
    touch: () => {
      notifier.resourceUpdated('memo://greeting');
      return text('touched');
    },
    // The official clients drop progress that arrives together with the result, so the result can be held back.
    progress: async (request, { hold }) => {
      for (const progress of [1, 2, 3]) {
        request.progress({ progress, total: 3 });
        request.log({ level: 'info', data: `step ${progress}` });
      }
      if (hold === true) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return text('done');
    },
    release: () => {
      release?.();
      return text('released');
    },
    wait: (request) =>
      new Promise((resolve) => {
        request.signal.addEventListener('abort', () => {
          observed.cancel('wait');
          resolve(text('cancelled'));
        });
      }),
  };
}

function offers(tools: Readonly<Record<string, ToolHandler>>): Readonly<Record<string, Handler>> {
  const echoSchema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
  const listed = Object.keys(tools).map((name) => ({
    name,
    description: `The tool ${name}`,
    inputSchema: name === 'echo' ? echoSchema : { type: 'object' },
  }));
  return {
    'tools/list': () => ({ tools: listed as unknown as Json }),
    'tools/call': (request) => {
      const { name, arguments: args } = request.params;
      const tool = typeof name === 'string' ? tools[name] : undefined;
      if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, 'Unknown tool');
      return tool(request, isObject(args) ? args : {});
    },
    'resources/list': () => ({
      resources: [{ uri: 'memo://greeting', name: 'greeting', mimeType: 'text/plain' }],
    }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: 'memo://notes/{id}', name: 'memo' }],
    }),
    'resources/read': ({ params: { uri } }) => {
      if (typeof uri !== 'string' || !uri.startsWith('memo://')) {
        throw new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri: uri ?? null });
      }
      return { contents: [{ uri, text: uri === 'memo://greeting' ? 'Hello' : 'A note' }] };
    },
    'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'name', required: true }] }] }),
    'prompts/get': ({ params: { name, arguments: args } }) => {
      if (name !== 'greet' || !isObject(args)) throw new ProtocolError(INVALID_PARAMS, 'Unknown prompt');
      return {
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${textMember(args, 'name')}` } }],
      };
    },
    'completion/complete': ({ params: { argument } }) => {
      const value = isObject(argument) && typeof argument['value'] === 'string' ? argument['value'] : '';
      return { completion: { values: NAMES.filter((name) => name.startsWith(value)) } };
    },
  };
}

/** A server made with this library that offers the same as those made with the official ones. */
export function createOwnServer(observed = new Observed(), options: Partial<ServerOptions> = {}): McpServer {
  const notifier = createNotifier();
  return createMcpServer({
    describe: DESCRIPTION,
    handlers: offers(toolsOf(notifier, observed)),
    listen: notifier.listen,
    ...options,
  });
}

export interface OwnHttp extends HttpServed {
  readonly observed: Observed;
}

export async function serveOwnHttp(options: Partial<ServerOptions> = {}): Promise<OwnHttp> {
  const observed = new Observed();
  const server = createOwnServer(observed, options);
  const served = await listen(toNodeListener(server), '/mcp', () => server.close(0));
  return Object.assign(served, { observed });
}

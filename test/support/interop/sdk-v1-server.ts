import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { listen, Observed, type HttpServed } from './served.js';

const CAPABILITIES = { logging: {}, resources: { subscribe: true } };

function text(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}

/** A server made with the first official SDK: everything the interoperability tests use. */
export function createV1Server(observed = new Observed()): McpServer {
  const server = new McpServer(
    { name: 'sdk-v1', version: '1.0.0' },
    { capabilities: CAPABILITIES, instructions: 'For tests.' },
  );
  registerPlain(server);
  registerLongRunning(server, observed);
  registerAsking(server);
  return server;
}

function registerPlain(server: McpServer): void {
  server.registerTool(
    'echo',
    {
      description: 'Says it again',
      inputSchema: { message: z.string() },
      outputSchema: { message: z.string() },
    },
    ({ message }) => ({ ...text(message), structuredContent: { message } }),
  );
  server.registerTool('grow', { description: 'Adds a tool' }, () => {
    server.registerTool(`grown-${randomUUID()}`, { description: 'New' }, () => text('new'));
    return text('grown');
  });
  server.registerTool('touch', { description: 'Tells of a changed resource' }, async () => {
    await server.server.sendResourceUpdated({ uri: 'memo://greeting' });
    return text('touched');
  });
  server.registerResource('greeting', 'memo://greeting', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, text: 'Hello' }],
  }));
  server.registerResource(
    'memo',
    new ResourceTemplate('memo://notes/{id}', { list: undefined }),
    {},
    ({ href }) => ({
      contents: [{ uri: href, text: 'A note' }],
    }),
  );
  server.registerPrompt(
    'greet',
    {
      description: 'A greeting',
      argsSchema: {
        name: completable(z.string(), (value) =>
          ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(value)),
        ),
      },
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
  server.server.fallbackRequestHandler = (request) => {
    if (request.method === 'resources/subscribe' || request.method === 'resources/unsubscribe')
      return Promise.resolve({});
    return Promise.reject(Object.assign(new Error('Method not found'), { code: -32601 }));
  };
}

function registerLongRunning(server: McpServer, observed: Observed): void {
  server.registerTool(
    'progress',
    { description: 'Reports progress and logs' },
    async ({ _meta, sendNotification }) => {
      const token = _meta?.progressToken;
      for (const progress of [1, 2, 3]) {
        if (token !== undefined) {
          await sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress, total: 3 },
          });
        }
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'info', data: `step ${progress}` },
        });
      }
      return text('done');
    },
  );
  server.registerTool('wait', { description: 'Waits to be cancelled' }, ({ signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        observed.cancel('wait');
        resolve(text('cancelled'));
      });
    });
  });
}

function registerAsking(server: McpServer): void {
  server.registerTool('ask', { description: 'Asks the user' }, async ({ sendRequest }) => {
    const requestedSchema = {
      type: 'object' as const,
      properties: { colour: { type: 'string' as const }, sure: { type: 'boolean' as const, default: true } },
    };
    const params = { mode: 'form' as const, message: 'Which colour?', requestedSchema };
    const answer = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    return text(JSON.stringify(answer));
  });
  server.registerTool('sample', { description: 'Asks the model' }, async ({ sendRequest }) => {
    const params = {
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }],
      maxTokens: 5,
    };
    const answer = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    return text(JSON.stringify(answer.content));
  });
  server.registerTool('roots', { description: 'Asks for roots' }, async ({ sendRequest }) => {
    const answer = await sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    return text(JSON.stringify(answer.roots));
  });
}

export interface V1Http extends HttpServed {
  readonly observed: Observed;
  /** Forgets all sessions, as a restart would. */
  forget(): void;
}

/** Sessions, a GET stream and DELETE, as the documentation of that SDK sets a server up. */
export async function serveV1Http(options: {
  readonly json: boolean;
  readonly forgotten?: 404 | 400;
}): Promise<V1Http> {
  const observed = new Observed();
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (transport === undefined && id !== undefined) {
      response.writeHead(options.forgotten ?? 404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
          id: null,
        }),
      );
      return;
    }
    if (transport === undefined) {
      const made: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: options.json,
        onsessioninitialized: (session) => {
          sessions.set(session, made);
        },
      });
      transport = made;
      await createV1Server(observed).connect(made);
    }
    await transport.handleRequest(request, response);
  };
  const served = await listen((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return Object.assign(served, { observed, forget: () => sessions.clear() });
}

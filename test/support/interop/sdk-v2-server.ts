import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listen, Observed, type HttpServed } from './served.js';

const CAPABILITIES = {
  logging: {},
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
};

function text(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}

/** A server made with the second official SDK, which speaks both eras. */
export function createV2Server(observed: Observed, notifier: () => ServerNotifier | undefined): McpServer {
  const server = new McpServer(
    { name: 'sdk-v2', version: '2.0.0' },
    { capabilities: CAPABILITIES, instructions: 'For tests.' },
  );
  registerPlain(server, notifier);
  registerLongRunning(server, observed);
  registerAsking(server);
  return server;
}

function registerPlain(server: McpServer, notifier: () => ServerNotifier | undefined): void {
  server.registerTool(
    'echo',
    {
      description: 'Says it again',
      inputSchema: z.object({ message: z.string() }),
      outputSchema: z.object({ message: z.string() }),
    },
    ({ message }) => ({ ...text(message), structuredContent: { message } }),
  );
  server.registerTool('grow', { description: 'Adds a tool' }, () => {
    const modern = notifier();
    if (modern === undefined) server.sendToolListChanged();
    else modern.toolsChanged();
    return text('grown');
  });
  server.registerTool('touch', { description: 'Tells of a changed resource' }, async () => {
    const modern = notifier();
    if (modern === undefined) await server.server.sendResourceUpdated({ uri: 'memo://greeting' });
    else modern.resourceUpdated('memo://greeting');
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
      argsSchema: z.object({
        name: completable(z.string(), (value) =>
          ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(value ?? '')),
        ),
      }),
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
}

function registerLongRunning(server: McpServer, observed: Observed): void {
  server.registerTool('progress', { description: 'Reports progress and logs' }, async ({ mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      if (token !== undefined) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total: 3 },
        });
      }
      await mcpReq.log('info', `step ${progress}`);
    }
    return text('done');
  });
  server.registerTool('wait', { description: 'Waits to be cancelled' }, ({ mcpReq }) => {
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        observed.cancel('wait');
        resolve(text('cancelled'));
      });
    });
  });
}

function registerAsking(server: McpServer): void {
  server.registerTool('ask', { description: 'Asks the user' }, ({ mcpReq }) => {
    const accepted = acceptedContent(mcpReq.inputResponses, 'colour');
    if (accepted !== undefined) return text(JSON.stringify({ action: 'accept', content: accepted }));
    const requestedSchema = {
      type: 'object' as const,
      properties: { colour: { type: 'string' as const }, sure: { type: 'boolean' as const, default: true } },
    };
    return inputRequired({
      inputRequests: { colour: inputRequired.elicit({ message: 'Which colour?', requestedSchema }) },
      requestState: 'state-of-ask',
    });
  });
  server.registerTool('sample', { description: 'Asks the model' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'model');
    if (answer.kind === 'sampling') return text(JSON.stringify(answer.result.content));
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
    return inputRequired({
      inputRequests: { model: inputRequired.createMessage({ messages, maxTokens: 5 }) },
    });
  });
  server.registerTool('roots', { description: 'Asks for roots' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    if (answer.kind === 'roots') return text(JSON.stringify(answer.roots));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

export interface V2Http extends HttpServed {
  readonly observed: Observed;
}

/** Both eras on one endpoint; the legacy one without sessions, as that SDK does it. */
export async function serveV2Http(options: { readonly legacy: 'stateless' | 'reject' }): Promise<V2Http> {
  const observed = new Observed();
  const handler = createMcpHandler(
    ({ era }) => createV2Server(observed, () => (era === 'modern' ? handler.notify : undefined)),
    options,
  );
  const node = toNodeHandler(handler);
  const served = await listen(
    (request, response) => {
      node(request, response).catch(() => response.destroy());
    },
    '/mcp',
    () => handler.close(),
  );
  return Object.assign(served, { observed });
}

/** The legacy era with sessions. */
export async function serveV2Sessions(): Promise<V2Http> {
  const observed = new Observed();
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (transport === undefined) {
      const made: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => {
          sessions.set(session, made);
        },
      });
      transport = made;
      await createV2Server(observed, () => undefined).connect(made);
    }
    await transport.handleRequest(request, response);
  };
  const served = await listen((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return Object.assign(served, { observed });
}

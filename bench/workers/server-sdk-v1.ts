import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { echo, ECHO_TOOL, TOOL } from './call.js';
import { listenForBench } from './listen.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

/** The low-level class: `McpServer` would check the arguments as well. */
async function openSession(): Promise<StreamableHTTPServerTransport> {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [ECHO_TOOL] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name !== TOOL) throw new Error('unknown tool');
    return echo(params.arguments?.['text']);
  });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      transports.set(id, transport);
    },
  });
  await server.connect(transport);
  return transport;
}

const http = createServer((request, response) => {
  const session = request.headers['mcp-session-id'];
  const known = typeof session === 'string' ? transports.get(session) : undefined;
  if (known === undefined) void openSession().then((opened) => opened.handleRequest(request, response));
  else void known.handleRequest(request, response);
});

listenForBench(http);

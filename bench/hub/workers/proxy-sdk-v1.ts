/** A pass-through as one writes it with version 1 of the official SDK: a server and a client for each session. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { serveOn, upstreamUrl } from './port.js';

const transports = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const client = new Client({ name: 'proxy', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(upstreamUrl()));
  const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
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

serveOn(
  createServer((request, response) => {
    const session = request.headers['mcp-session-id'];
    const known = typeof session === 'string' ? transports.get(session) : undefined;
    if (known === undefined) void openSession().then((opened) => opened.handleRequest(request, response));
    else void known.handleRequest(request, response);
  }),
);

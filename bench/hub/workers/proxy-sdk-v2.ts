/** The same pass-through with version 2 of the official SDK. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { Server } from '@modelcontextprotocol/server';
import { serveOn, upstreamUrl } from './port.js';

const transports = new Map<string, NodeStreamableHTTPServerTransport>();

async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
  const client = new Client({ name: 'proxy', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(upstreamUrl()));
  const server = new Server({ name: 'proxy', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => client.listTools(params) as never);
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params) as never);
  const transport = new NodeStreamableHTTPServerTransport({
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

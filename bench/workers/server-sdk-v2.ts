import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { echo, ECHO_TOOL, TOOL } from './call.js';
import { listenForBench } from './listen.js';

/** The low-level class: `McpServer` would check the arguments as well. */
function createEcho(): Server {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [ECHO_TOOL] }));
  server.setRequestHandler('tools/call', ({ params }) => {
    if (params.name !== TOOL) throw new Error('unknown tool');
    return echo(params.arguments?.['text']);
  });
  return server;
}

/** The entry for both eras: a fresh server for every request. */
function perRequest(): RequestListener {
  const handler = toNodeHandler(createMcpHandler(createEcho));
  return (request, response) => void handler(request, response);
}

/** The transport of the handshake era: a server for every session. */
function perSession(): RequestListener {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  const open = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => {
        transports.set(id, transport);
      },
    });
    await createEcho().connect(transport);
    return transport;
  };
  return (request, response) => {
    const session = request.headers['mcp-session-id'];
    const known = typeof session === 'string' ? transports.get(session) : undefined;
    if (known === undefined) void open().then((opened) => opened.handleRequest(request, response));
    else void known.handleRequest(request, response);
  };
}

listenForBench(createServer(process.argv[2] === 'sessions' ? perSession() : perRequest()));

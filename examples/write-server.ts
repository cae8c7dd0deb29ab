import type { AddressInfo } from 'node:net';
import {
  createMcpServer,
  createNodeServer,
  INVALID_PARAMS,
  ProtocolError,
  toNodeListener,
  type Handler,
} from 'crosspoint/server';

const callTool: Handler = (request) => {
  const { name, arguments: args } = request.params as { name: string; arguments?: { sides?: unknown } };
  if (name !== 'roll') throw new ProtocolError(INVALID_PARAMS, 'Unknown tool');
  const sides = Number(args?.sides ?? 6);
  if (!Number.isInteger(sides) || sides < 2) {
    return { content: [{ type: 'text', text: 'A die has at least two sides' }], isError: true };
  }
  const rolled = 1 + Math.floor(Math.random() * sides);
  return { content: [{ type: 'text', text: `${request.principal} rolled a ${rolled}` }] };
};

const server = createMcpServer({
  describe: { info: { name: 'dice', version: '1.0.0' }, capabilities: { tools: {} } },
  handlers: {
    'tools/list': () => ({
      tools: [
        {
          name: 'roll',
          description: 'Rolls a die',
          inputSchema: { type: 'object', properties: { sides: { type: 'integer', minimum: 2 } } },
        },
      ],
    }),
    'tools/call': callTool,
  },
});

const tokens = new Map([['Bearer secret-of-alice', 'alice']]);
const http = createNodeServer(
  toNodeListener(server, { authenticate: (headers) => tokens.get(headers['authorization'] ?? '') }),
);
http.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});

process.once('SIGTERM', () => {
  http.close();
  // Calls under way get up to ten seconds; nothing new is taken.
  void server.close().then(() => http.closeAllConnections());
});

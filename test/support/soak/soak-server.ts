import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../../src/mcp/jsonrpc/index.js';
import {
  createMcpServer,
  createNodeServer,
  createNotifier,
  toNodeListener,
  type McpRequest,
  type McpServer,
} from '../../../src/mcp/server/index.js';
import { withoutModernEra } from '../era-limits.js';

const TOOLS = ['prove', 'ask', 'wait'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { call: { type: 'string' } }, required: ['call'] },
}));

/** What only the server makes of a call's name, so that an answer shows whose it is. */
export const proofOf = (call: string): string => `proof of ${call}`;

/** Carries out calls that are known by name, and tells of each as it does so. */
export function createSoakServer(era: 'legacy' | 'modern', carriedOut: (call: string) => void): McpServer {
  const notifier = createNotifier();

  async function call(request: McpRequest): Promise<JsonObject> {
    const { name, arguments: args } = request.params as { name: string; arguments: { call: string } };
    if (name === 'wait') {
      await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()));
      return text('given up');
    }
    if (name === 'prove') {
      carriedOut(args.call);
      return text(proofOf(args.call));
    }
    const { asked } = await request.askClient({
      asked: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: `about ${args.call}`,
          requestedSchema: { type: 'object', properties: { word: { type: 'string' } } },
        },
      },
    });
    const { action, content } = asked as {
      readonly action?: string;
      readonly content?: { readonly word?: string };
    };
    carriedOut(args.call);
    return text(
      content?.word === undefined ? `nobody answered: ${action}` : `${proofOf(args.call)}: ${content.word}`,
    );
  }

  return createMcpServer({
    describe: { info: { name: 'soak', version: '1' }, capabilities: { tools: { listChanged: true } } },
    handlers: { 'tools/list': () => ({ tools: TOOLS }), 'tools/call': call },
    listen: (request) => notifier.listen(request),
    legacy: era === 'modern' ? 'off' : 'sessions',
  });
}

function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] };
}

/** The same in this process, on a free port. */
export async function startSoakHttp(era: 'legacy' | 'modern', carriedOut: (call: string) => void) {
  const server = createSoakServer(era, carriedOut);
  const listener = toNodeListener(server);
  const http = createNodeServer(era === 'legacy' ? withoutModernEra(listener) : listener);
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async close(): Promise<void> {
      await server.close(100);
      http.close();
      http.closeAllConnections();
    },
  };
}

/** Answers what a client needs to make its calls, and does nothing else: the other end when clients are measured. */
import { createServer, type ServerResponse } from 'node:http';
import { echo, ECHO_TOOL, LEGACY_REVISION, MODERN_REVISION } from './call.js';
import { listenForBench } from './listen.js';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly arguments?: { readonly text?: unknown };
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const INFO = { name: 'stub', version: '1.0.0' };
const SESSION = 'mcp-session-id: the-only-one';

function resultOf({ method, params }: Request): object | undefined {
  const modern = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  const type = modern ? { resultType: 'complete' } : {};
  switch (method) {
    case 'initialize':
      return { protocolVersion: LEGACY_REVISION, capabilities: { tools: {} }, serverInfo: INFO };
    case 'server/discover': {
      if (!modern) return undefined;
      const _meta = { 'io.modelcontextprotocol/serverInfo': INFO };
      const cache = { ttlMs: 60_000, cacheScope: 'public' };
      return { supportedVersions: [MODERN_REVISION], capabilities: { tools: {} }, _meta, ...cache, ...type };
    }
    case 'tools/list':
      return { tools: [ECHO_TOOL], ...(modern && { ttlMs: 60_000, cacheScope: 'public' }), ...type };
    case 'tools/call':
      return { ...echo(params?.arguments?.text), ...type };
    default:
      return undefined;
  }
}

function answer(response: ServerResponse, body: string): void {
  const request = JSON.parse(body) as Request;
  if (request.id === undefined) {
    response.writeHead(202, { 'content-length': '0' }).end();
    return;
  }
  const result = resultOf(request);
  const message =
    result === undefined
      ? { jsonrpc: '2.0', id: request.id, error: { code: -32601, message: 'Method not found' } }
      : { jsonrpc: '2.0', id: request.id, result };
  const text = JSON.stringify(message);
  const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))];
  if (request.method === 'initialize') headers.push(...SESSION.split(': '));
  response.writeHead(200, headers).end(text);
}

listenForBench(
  createServer({ keepAliveTimeout: 120_000, noDelay: true }, (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'GET' ? 405 : 200, { 'content-length': '0' }).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => answer(response, body));
  }),
);

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as an upstream saw it. */
export interface SeenRequest {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it stood on the wire. */
  readonly text: string;
  readonly rpc: {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
  };
}

export interface UpstreamScript {
  /** Default: the era of the handshake. */
  readonly era?: 'legacy' | 'modern';
  readonly tools?: readonly object[];
  readonly prompts?: readonly object[];
  readonly resources?: readonly object[];
  /** How many tools a page has. */
  readonly pageSize?: number;
  /** Answer as event streams, as many servers do. */
  readonly sse?: boolean;
  /** Bearer tokens that are accepted, and for what one is needed. */
  readonly tokens?: readonly string[];
  readonly protect?: 'nothing' | 'calls' | 'everything';
  readonly sessions?: boolean;
  readonly capabilities?: object;
  readonly instructions?: string;
  /** The version it agrees to in the handshake. */
  readonly revision?: string;
  readonly templates?: readonly object[];
  /** Results of further methods. */
  readonly results?: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>>;
  /** Answers a call, or decides otherwise by answering itself and returning undefined. */
  readonly call?: (
    name: string,
    args: unknown,
    request: SeenRequest,
    response: ServerResponse,
  ) => object | undefined | Promise<object | undefined>;
  /** Sees everything first; true means it has answered. */
  readonly intercept?: (request: SeenRequest, response: ServerResponse) => boolean;
}

export interface ScriptedUpstream {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Methods in the order they came. */
  methods(): string[];
  /** Replaced at any time. */
  script: UpstreamScript;
  close(): Promise<void>;
}

/** A server of either era, written without our library, that does what its script says. */
export async function startUpstream(initial: UpstreamScript = {}, port = 0): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = [];
  const sessions = new Set<string>();
  const upstream: { script: UpstreamScript } = { script: initial };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const rpc = body === '' ? {} : (JSON.parse(body) as SeenRequest['rpc']);
      const path = request.url ?? '';
      const entry = { httpMethod: request.method ?? '', path, headers: request.headers, text: body, rpc };
      seen.push(entry);
      void answer(upstream.script, sessions, entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    methods: () => seen.map(({ rpc, httpMethod }) => rpc.method ?? httpMethod),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function answer(
  script: UpstreamScript,
  sessions: Set<string>,
  request: SeenRequest,
  response: ServerResponse,
): Promise<void> {
  if (script.intercept?.(request, response) === true) return;
  const { method } = request.rpc;
  const accept = String(request.headers['accept'] ?? '');
  if (request.httpMethod === 'DELETE') return void response.writeHead(204).end();
  if (request.httpMethod !== 'POST') return void response.writeHead(405).end();
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return void response
      .writeHead(406, { 'content-type': 'text/plain' })
      .end('Client must accept both application/json and text/event-stream');
  }
  if (!isAllowed(script, request))
    return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  if (script.era === 'modern') return answerModern(script, request, response);
  if (method === 'server/discover')
    return respond(script, request, response, { error: { code: -32_601, message: 'Method not found' } });
  if (method === 'initialize') {
    const session = crypto.randomUUID();
    sessions.add(session);
    const header: Record<string, string> = script.sessions === false ? {} : { 'mcp-session-id': session };
    const capabilities = capabilitiesOf(script);
    return respond(
      script,
      request,
      response,
      {
        result: {
          protocolVersion: script.revision ?? '2025-03-26',
          capabilities,
          serverInfo: { name: 'scripted', version: '1' },
          ...(script.instructions !== undefined && { instructions: script.instructions }),
        },
      },
      header,
    );
  }
  if (script.sessions !== false && !sessions.has(String(request.headers['mcp-session-id']))) {
    return void response
      .writeHead(request.headers['mcp-session-id'] === undefined ? 400 : 404, {
        'content-type': 'text/plain',
      })
      .end('Mcp-Session-Id header is required');
  }
  if (request.rpc.id === undefined) return void response.writeHead(202).end();
  const outcome = await run(script, request, response);
  if (outcome !== undefined) respond(script, request, response, outcome);
}

async function answerModern(
  script: UpstreamScript,
  request: SeenRequest,
  response: ServerResponse,
): Promise<void> {
  const { id, method } = request.rpc;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'initialize') {
    const data = { supported: ['2026-07-28'], requested: '2025-11-25' };
    const error = { code: -32_022, message: 'Unsupported protocol version', data };
    return void response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
  const outcome: { readonly result?: object } | undefined =
    method === 'server/discover'
      ? { result: { supportedVersions: ['2026-07-28'], capabilities: capabilitiesOf(script) } }
      : await run(script, request, response);
  if (outcome === undefined) return;
  const result = outcome.result && {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    ...outcome.result,
  };
  respond(script, request, response, result === undefined ? outcome : { result });
}

function capabilitiesOf({ prompts, resources, capabilities }: UpstreamScript): object {
  return { tools: {}, ...(prompts && { prompts: {} }), ...(resources && { resources: {} }), ...capabilities };
}

function isAllowed(
  { protect = 'nothing', tokens = [] }: UpstreamScript,
  { headers, rpc }: SeenRequest,
): boolean {
  if (protect === 'nothing' || (protect === 'calls' && rpc.method !== 'tools/call')) return true;
  return tokens.includes(String(headers['authorization'] ?? '').replace('Bearer ', ''));
}

async function run(
  script: UpstreamScript,
  request: SeenRequest,
  response: ServerResponse,
): Promise<object | undefined> {
  const { method, params = {} } = request.rpc;
  switch (method) {
    case 'ping':
      return { result: {} };
    case 'tools/list': {
      const tools = script.tools ?? [];
      const start = params['cursor'] === undefined ? 0 : Number(params['cursor']);
      const end = start + (script.pageSize ?? tools.length + 1);
      return {
        result: { tools: tools.slice(start, end), ...(end < tools.length && { nextCursor: String(end) }) },
      };
    }
    case 'prompts/list':
      return { result: { prompts: script.prompts ?? [] } };
    case 'resources/list':
      return { result: { resources: script.resources ?? [] } };
    case 'resources/templates/list':
      return { result: { resourceTemplates: script.templates ?? [] } };
    case 'tools/call': {
      const name = String(params['name']);
      const result =
        script.call === undefined
          ? { content: [{ type: 'text', text: `${name} ${JSON.stringify(params['arguments'])}` }] }
          : await script.call(name, params['arguments'], request, response);
      return result === undefined ? undefined : { result };
    }
    default: {
      const further = script.results?.[method ?? ''];
      if (further !== undefined) return { result: further(params) };
      return { error: { code: -32_601, message: 'Method not found' } };
    }
  }
}

function respond(
  script: UpstreamScript,
  { rpc }: SeenRequest,
  response: ServerResponse,
  outcome: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, ...outcome });
  if (script.sse === true)
    response
      .writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
      .end(`event: message\ndata: ${text}\n\n`);
  else response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(text);
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

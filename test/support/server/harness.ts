import {
  createMcpServer,
  createNotifier,
  toFetchHandler,
  type FetchHandlerOptions,
  type Handler,
  type McpServer,
  type Notifier,
  type ServerEvent,
  type ServerOptions,
} from '../../../src/mcp/server/index.js';
import { EventReader, type Parsed } from './event-reader.js';

export const NEWEST = '2025-11-25';
export const MODERN = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the body is no JSON. */
  readonly body: Parsed;
}

export type Fields = Readonly<Record<string, string>>;

export const DESCRIPTION = {
  info: { name: 'harness', version: '1.0.0' },
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
    logging: {},
  },
  instructions: 'Ask politely.',
};

const echo: Handler = ({ params }) => ({
  content: [{ type: 'text', text: JSON.stringify(params['arguments'] ?? null) }],
});

const HANDLERS: Readonly<Record<string, Handler>> = {
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': echo,
  'prompts/list': () => ({ prompts: [] }),
  'resources/list': () => ({ resources: [] }),
  'resources/read': ({ params }) => ({ contents: [{ uri: params['uri'], text: 'hi' }] }),
};

export interface HarnessOptions extends Omit<Partial<ServerOptions>, 'handlers'> {
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** Instead of echoing. */
  readonly call?: Handler;
  readonly entry?: FetchHandlerOptions;
}

/** A server behind its web adapter. Who calls is whatever the bearer token says. */
export class Harness {
  readonly server: McpServer;
  readonly notifier: Notifier = createNotifier();
  readonly events: ServerEvent[] = [];
  readonly #fetch: (request: Request) => Promise<Response>;

  constructor(options: HarnessOptions = {}) {
    const { handlers, call, entry, ...rest } = options;
    this.server = createMcpServer({
      describe: DESCRIPTION,
      listen: this.notifier.listen,
      onEvent: (event) => this.events.push(event),
      ...rest,
      handlers: { ...HANDLERS, ...(call && { 'tools/call': call }), ...handlers },
    });
    this.#fetch = toFetchHandler(this.server, {
      authenticate: (headers) => headers['authorization']?.replace('Bearer ', '') || undefined,
      ...entry,
    });
  }

  /** Sends as little as possible besides what it is given. */
  fetch(
    method: string,
    headers: Fields,
    body?: string | Uint8Array,
    signal?: AbortSignal,
  ): Promise<Response> {
    const init: RequestInit = { method, headers: { authorization: 'Bearer alice', ...headers } };
    if (body !== undefined) init.body = body as string;
    if (signal !== undefined) init.signal = signal;
    return this.#fetch(new Request('http://localhost:1234/mcp', init));
  }

  async send(method: string, headers: Fields, body?: string | Uint8Array): Promise<Answer> {
    return toAnswer(await this.fetch(method, headers, body));
  }

  post(message: unknown, headers: Fields = {}): Promise<Answer> {
    return this.send('POST', { ...JSON_BOTH, ...headers }, toText(message));
  }

  async stream(message: unknown, headers: Fields = {}, signal?: AbortSignal): Promise<EventReader> {
    return new EventReader(await this.fetch('POST', { ...JSON_BOTH, ...headers }, toText(message), signal));
  }

  async get(headers: Fields, signal?: AbortSignal): Promise<EventReader> {
    return new EventReader(
      await this.fetch('GET', { accept: 'text/event-stream', ...headers }, undefined, signal),
    );
  }

  modern(method: string, params: object = {}, options: ModernOptions = {}): Promise<Answer> {
    const { message, headers } = modernRequest(method, params, options);
    return this.post(message, headers);
  }

  modernStream(method: string, params: object = {}, options: ModernOptions = {}): Promise<EventReader> {
    const { message, headers } = modernRequest(method, params, options);
    return this.stream(message, headers, options.signal);
  }

  /** A session whose handshake is complete. */
  async session(options: SessionOptions = {}): Promise<Session> {
    const principal = options.principal ?? 'alice';
    const auth = { authorization: `Bearer ${principal}` };
    const answer = await this.post(initialize(options.revision, options.capabilities), auth);
    const id = answer.headers.get('mcp-session-id') ?? '';
    const session = new Session(this, {
      ...auth,
      'mcp-session-id': id,
      'mcp-protocol-version': options.revision ?? NEWEST,
    });
    if (options.initialized !== false) await session.notify('notifications/initialized');
    return session;
  }

  count(type: ServerEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }
}

export interface SessionOptions {
  readonly principal?: string;
  readonly revision?: string;
  readonly capabilities?: object;
  readonly initialized?: boolean;
}

/** One client of the handshake era. */
export class Session {
  readonly headers: Fields;
  readonly #harness: Harness;
  #ids = 0;

  constructor(harness: Harness, headers: Fields) {
    this.#harness = harness;
    this.headers = headers;
  }

  get id(): string {
    return this.headers['mcp-session-id'] ?? '';
  }

  request(method: string, params: object = {}, headers: Fields = {}): Promise<Answer> {
    return this.#harness.post(request(++this.#ids, method, params), { ...this.headers, ...headers });
  }

  call(args: object = {}, meta?: object, id: string | number = ++this.#ids): Promise<EventReader> {
    const params = { name: 'echo', arguments: args, ...(meta && { _meta: meta }) };
    return this.#harness.stream(request(id, 'tools/call', params), this.headers);
  }

  post(message: unknown, headers: Fields = {}): Promise<Answer> {
    return this.#harness.post(message, { ...this.headers, ...headers });
  }

  notify(method: string, params?: object): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  respond(id: unknown, result: object): Promise<Answer> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  get(headers: Fields = {}, signal?: AbortSignal): Promise<EventReader> {
    return this.#harness.get({ ...this.headers, ...headers }, signal);
  }

  delete(): Promise<Answer> {
    return this.#harness.send('DELETE', this.headers);
  }
}

export interface ModernOptions {
  readonly id?: string | number;
  readonly capabilities?: object;
  readonly meta?: object;
  readonly headers?: Fields;
  readonly principal?: string;
  readonly signal?: AbortSignal;
}

export const JSON_BOTH: Fields = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export function request(id: unknown, method: string, params?: object): object {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

export function initialize(revision = NEWEST, capabilities: object = {}): object {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'tester', version: '1' } };
  return request('init', 'initialize', params);
}

export function envelope(capabilities: object = {}): Record<string, unknown> {
  return {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: capabilities,
    [`${PREFIX}clientInfo`]: { name: 'tester', version: '1' },
  };
}

export function modernRequest(
  method: string,
  params: Parsed,
  options: ModernOptions = {},
): { message: object; headers: Fields } {
  const name = params.name ?? params.uri ?? params.taskId;
  return {
    message: request(options.id ?? 1, method, {
      ...params,
      _meta: { ...envelope(options.capabilities), ...options.meta },
    }),
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': String(name) }),
      ...(options.principal !== undefined && { authorization: `Bearer ${options.principal}` }),
      ...options.headers,
    },
  };
}

export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, text, body };
}

function toText(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** A promise and what settles it, to hold a handler where a test wants it. */
export class Gate {
  readonly passed: Promise<void>;
  open: () => void = () => {};
  constructor() {
    this.passed = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

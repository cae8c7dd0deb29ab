import { createHash } from 'node:crypto';
import type { CallStage } from '../contract/index.js';
import { isHubError, type Span, type SpanAttributes, type Tracer } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { Handler, McpRequest } from '../mcp/server/index.js';
import type { CallWatch, OutgoingRequest } from '../operations/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';

/** The code of a JSON-RPC error. */
const STATUS = 'rpc.response.status_code';
const MOST_NAME = 100;
const MOST_ADDRESS = 200;
/** What is longer is not looked at. */
const LONGEST_ADDRESS = 4_096;

/** Spans of requests, for whoever wants traces: one for the request, one below it for each stage. */
export class RequestTraces {
  readonly #tracer: Tracer;
  readonly #shownAs: (thrown: unknown, request: McpRequest) => unknown;
  readonly #running = new WeakMap<McpRequest, RequestTrace>();

  /** `shownAs` tells what the protocol library is handed instead of what a handler threw. */
  constructor(tracer: Tracer, shownAs: (thrown: unknown, request: McpRequest) => unknown) {
    this.#tracer = tracer;
    this.#shownAs = shownAs;
  }

  wrap<More extends readonly unknown[]>(
    handler: (request: McpRequest, ...more: More) => ReturnType<Handler>,
  ): (request: McpRequest, ...more: More) => ReturnType<Handler> {
    return async (request, ...more) => {
      const trace = new RequestTrace(this.#begin(request));
      this.#running.set(request, trace);
      return trace.over(
        async () => handler(request, ...more),
        (error) => request.errorCodeOf(this.#shownAs(error, request)),
      );
    };
  }

  /** What a request that is traced is made with, besides what every one is. */
  of(
    request: McpRequest,
    callId: string,
    options: UpstreamOptions,
  ): { watch?: CallWatch; options: UpstreamOptions } {
    return this.#running.get(request)?.of(callId, options) ?? { options };
  }

  #begin({ method, params, id, revision, session }: McpRequest): Span {
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    const name = isNamed(method) ? textOf(params['name'])?.slice(0, MOST_NAME) : undefined;
    const target = name ?? textOf(params['uri']);
    return this.#tracer.begin(
      name === undefined ? method : `${method} ${name}`,
      { traceparent: textOf(meta['traceparent']), tracestate: textOf(meta['tracestate']) },
      {
        'mcp.method.name': method,
        'mcp.protocol.version': revision,
        'jsonrpc.request.id': String(id).slice(0, MOST_NAME),
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        ...(session !== undefined && { 'mcp.session.id': digestOf(session) }),
        ...(target !== undefined && targetAttributes(method, target)),
      },
    );
  }
}

/** The span of a call that an admin makes: a part of the one of its request, which may have its answer long before. */
export function traceCall(request: Span, name: string): RequestTrace {
  const attributes = targetAttributes('tools/call', name);
  return new RequestTrace(request.child(`tools/call ${name.slice(0, MOST_NAME)}`, 'internal', attributes));
}

class RequestTrace implements CallWatch {
  readonly #span: Span;
  #stage: Span | undefined;
  /** What the stage under way failed with. */
  #failure: string | undefined;
  #hasFailed = false;
  /** A call that waits for answers goes on after its request. */
  #isOver = false;

  constructor(span: Span) {
    this.#span = span;
  }

  /** What a call is made with, besides what every one is. */
  of(callId: string, options: UpstreamOptions): { watch: CallWatch; options: UpstreamOptions } {
    this.#span.note({ 'crosspoint.call.id': callId });
    this.begins('lookup');
    return { watch: this, options: this.#within(options) };
  }

  /** Ends with the work. `shownAs` tells the code that the client is told of an error. */
  async over<Result>(
    work: () => Promise<Result>,
    shownAs: (error: unknown) => number | undefined = () => undefined,
  ): Promise<Result> {
    try {
      const result = await work();
      this.#end(isObject(result) && result['isError'] === true ? 'tool_error' : undefined);
      return result;
    } catch (error) {
      this.#end(codeOf(error), shownAs(error));
      throw error;
    }
  }

  begins(stage: CallStage, request?: OutgoingRequest): void {
    if (this.#isOver) return;
    this.#stage?.end(this.#failure);
    this.#failure = undefined;
    this.#stage =
      request === undefined
        ? this.#span.child(stage, 'internal')
        : this.#span.child(outgoingName(request), 'client', outgoingAttributes(request));
  }

  decided(): void {}

  failed(code: string, answered?: number): void {
    this.#failure = code;
    this.#hasFailed = true;
    if (answered !== undefined) this.#stage?.note({ [STATUS]: String(answered) });
  }

  #end(error: string | undefined, code?: number): void {
    if (code !== undefined) this.#span.note({ [STATUS]: String(code) });
    this.#isOver = true;
    // What comes after the stage that failed is not at fault.
    this.#stage?.end(this.#hasFailed ? this.#failure : error);
    this.#span.end(error);
  }

  /** Whoever serves the rest goes on with the trace from the stage that it is in. */
  #within(options: UpstreamOptions): UpstreamOptions {
    const meta = (): JsonObject => ({
      ...options.meta,
      traceparent: (this.#stage ?? this.#span).traceparent,
    });
    return {
      ...options,
      get signal() {
        return options.signal;
      },
      onAbort: (listener) => options.onAbort?.(listener),
      onSent: ({ id, revision }) =>
        this.#stage?.note({ 'jsonrpc.request.id': String(id), 'mcp.protocol.version': revision }),
      get meta() {
        return meta();
      },
    };
  }
}

/** As OpenTelemetry's conventions for MCP name the client's side of a request. */
function outgoingName({ method, target }: OutgoingRequest): string {
  return isNamed(method) ? `${method} ${target.slice(0, MOST_NAME)}` : method;
}

function outgoingAttributes({ connector, method, target }: OutgoingRequest): SpanAttributes {
  const { id, endpoint } = connector;
  return {
    'mcp.method.name': method,
    ...targetAttributes(method, target),
    'crosspoint.connector': id,
    ...(endpoint.transport === 'stdio' ? { 'network.transport': 'pipe' } : addressAttributes(endpoint.url)),
  };
}

function addressAttributes(address: string): SpanAttributes {
  const { hostname, port, protocol } = new URL(address);
  return {
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** Tells requests of one session from others. The id itself lets its holder in. */
function digestOf(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

function isNamed(method: string): boolean {
  return method === 'tools/call' || method === 'prompts/get';
}

/** Addresses of resources without what may be secret in them. */
function targetAttributes(method: string, target: string): SpanAttributes {
  switch (method) {
    case 'tools/call':
      return { 'gen_ai.tool.name': target.slice(0, MOST_NAME), 'gen_ai.operation.name': 'execute_tool' };
    case 'prompts/get':
      return { 'gen_ai.prompt.name': target.slice(0, MOST_NAME) };
    case 'resources/read':
      return { 'mcp.resource.uri': plainAddress(target) };
    default:
      return {};
  }
}

function plainAddress(uri: string): string {
  return uri
    .slice(0, LONGEST_ADDRESS)
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//')
    .slice(0, MOST_ADDRESS);
}

/** What is thrown and no error is a question to the caller or a task that has begun; nothing has failed. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return isHubError(thrown) ? thrown.code : 'internal';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

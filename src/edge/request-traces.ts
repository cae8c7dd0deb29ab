import type { CallStage } from '../contract/index.js';
import { isHubError, type Span, type SpanAttributes, type Tracer } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { Handler, McpRequest } from '../mcp/server/index.js';
import type { CallWatch, OutgoingRequest } from '../operations/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';

const MOST_NAME = 100;
const MOST_ADDRESS = 200;
/** What is longer is not looked at. */
const LONGEST_ADDRESS = 4_096;

/** Spans of requests, for whoever wants traces: one for the request, one below it for each stage. */
export class RequestTraces {
  readonly #tracer: Tracer;
  readonly #running = new WeakMap<McpRequest, RequestTrace>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  wrap(handler: Handler): Handler {
    return async (request) => {
      const trace = new RequestTrace(this.#begin(request));
      this.#running.set(request, trace);
      try {
        const result = await handler(request);
        trace.end(isObject(result) && result['isError'] === true ? 'tool_error' : undefined);
        return result;
      } catch (error) {
        trace.end(codeOf(error));
        throw error;
      }
    };
  }

  /** What a request that is traced is made with, besides what every one is. */
  of(request: McpRequest, options: UpstreamOptions): { watch?: CallWatch; options: UpstreamOptions } {
    const trace = this.#running.get(request);
    return trace === undefined ? { options } : { watch: trace, options: trace.within(options) };
  }

  #begin({ method, params }: McpRequest): Span {
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    const name = isNamed(method) ? textOf(params['name'])?.slice(0, MOST_NAME) : undefined;
    const target = name ?? textOf(params['uri']);
    return this.#tracer.begin(
      name === undefined ? method : `${method} ${name}`,
      { traceparent: textOf(meta['traceparent']), tracestate: textOf(meta['tracestate']) },
      {
        'mcp.method.name': method,
        'network.transport': 'tcp',
        ...(target !== undefined && targetAttributes(method, target)),
      },
    );
  }
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

  failed(code: string): void {
    this.#failure = code;
    this.#hasFailed = true;
  }

  end(error: string | undefined): void {
    this.#isOver = true;
    // What comes after the stage that failed is not at fault.
    this.#stage?.end(this.#hasFailed ? this.#failure : error);
    this.#span.end(error);
  }

  /** Whoever serves the rest goes on with the trace from the stage that it is in. */
  within(options: UpstreamOptions): UpstreamOptions {
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
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
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

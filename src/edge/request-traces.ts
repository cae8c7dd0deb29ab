import type { CallStage } from '../contract/index.js';
import { isHubError, type Span, type Tracer } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { Handler, McpRequest } from '../mcp/server/index.js';
import type { CallWatch } from '../operations/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';

const MOST_NAME = 100;

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
    const name = typeof params['name'] === 'string' ? params['name'].slice(0, MOST_NAME) : undefined;
    return this.#tracer.begin(
      name === undefined ? method : `${method} ${name}`,
      { traceparent: textOf(meta['traceparent']), tracestate: textOf(meta['tracestate']) },
      {
        'mcp.method.name': method,
        'network.transport': 'tcp',
        ...(method === 'tools/call' &&
          name !== undefined && { 'gen_ai.tool.name': name, 'gen_ai.operation.name': 'execute_tool' }),
      },
    );
  }
}

class RequestTrace implements CallWatch {
  readonly #span: Span;
  #stage: Span | undefined;

  constructor(span: Span) {
    this.#span = span;
  }

  begins(stage: CallStage): void {
    this.#stage?.end();
    this.#stage = this.#span.child(stage, stage === 'upstream' ? 'client' : 'internal');
  }

  decided(): void {}

  end(error: string | undefined): void {
    this.#stage?.end();
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

/** What is thrown and no error is a question to the caller or a task that has begun; nothing has failed. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return isHubError(thrown) ? thrown.code : 'internal';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

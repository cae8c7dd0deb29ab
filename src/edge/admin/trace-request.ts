import type { AdminRoute } from '../../contract/index.js';
import { ADMIN_BASE_PATH } from '../../contract/index.js';
import type { Span, Tracer } from '../../kernel/index.js';
import { traceHeaders } from '../../mcp/wire/index.js';
import type { CallTool, CallWatch, ToolCall } from '../../operations/index.js';
import { traceCall } from '../request-traces.js';
import { toFailedAnswer } from './error-answer.js';

/** The trace that a request belongs to. */
export interface AdminTrace {
  /** As its client names it. */
  readonly context: ReturnType<typeof traceHeaders>;
  /** The hub's part of it, where somebody wants traces. */
  readonly span: Span | undefined;
}

/** What a span tells of a request: nothing of what it names or brings. */
export interface TracedRequest {
  readonly route: Pick<AdminRoute, 'method' | 'path'>;
  readonly requestId: string;
  readonly header: (name: string) => string | undefined;
}

const STATUS = 'http.response.status_code';

/** Makes the answer to a request of the admin API within a span, where somebody wants traces. */
export async function traceRequest(
  tracer: Tracer | undefined,
  { route, requestId, header }: TracedRequest,
  answer: (trace: AdminTrace) => Promise<Response>,
): Promise<Response> {
  const context = traceHeaders({ traceparent: header('traceparent'), tracestate: header('tracestate') });
  if (tracer === undefined) return answer({ context, span: undefined });
  const method = route.method.toUpperCase();
  const path = ADMIN_BASE_PATH + route.path;
  const span = tracer.begin(`${method} ${path}`, context ?? {}, {
    'http.request.method': method,
    'http.route': path,
    'crosspoint.request.id': requestId,
  });
  try {
    const response = await answer({ context, span });
    span.note({ [STATUS]: response.status });
    span.end();
    return response;
  } catch (error) {
    const { status, body } = toFailedAnswer(error);
    span.note({ [STATUS]: status });
    span.end(body.error.code);
    throw error;
  }
}

/** Makes a call that goes on with the trace of its request, whether or not that has its answer already. */
export async function callWithin(
  { context, span }: AdminTrace,
  call: ToolCall,
  callTool: CallTool,
): ReturnType<CallTool> {
  const options = context === undefined ? call.options : { ...call.options, meta: context };
  if (span === undefined) return callTool({ ...call, options });
  const trace = traceCall(span, call.exposedName);
  const traced = trace.of(call.callId, options);
  const watch = call.watch === undefined ? traced.watch : both(traced.watch, call.watch);
  return trace.over(async () => callTool({ ...call, options: traced.options, watch }));
}

function both(one: CallWatch, other: CallWatch): CallWatch {
  return {
    begins(...begun) {
      one.begins(...begun);
      other.begins(...begun);
    },
    decided(decision) {
      one.decided(decision);
      other.decided(decision);
    },
    failed(...failure) {
      one.failed(...failure);
      other.failed(...failure);
    },
  };
}

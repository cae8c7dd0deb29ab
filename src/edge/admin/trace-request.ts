import type { AdminRoute } from '../../contract/index.js';
import { ADMIN_BASE_PATH } from '../../contract/index.js';
import type { Tracer } from '../../kernel/index.js';
import { toFailedAnswer } from './error-answer.js';

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
  answer: () => Promise<Response>,
): Promise<Response> {
  if (tracer === undefined) return answer();
  const method = route.method.toUpperCase();
  const path = ADMIN_BASE_PATH + route.path;
  const span = tracer.begin(
    `${method} ${path}`,
    { traceparent: header('traceparent'), tracestate: header('tracestate') },
    { 'http.request.method': method, 'http.route': path, 'crosspoint.request.id': requestId },
  );
  try {
    const response = await answer();
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

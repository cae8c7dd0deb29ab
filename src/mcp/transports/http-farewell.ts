import { bareHeaders, type SessionHeaders } from './http-headers.js';
import { provideHeaders } from './http-options.js';
import type { StreamSource } from './http-get-stream.js';
import { HttpRequest, type AnswerHandler } from './http-request.js';

/**
 * Tells a server that its session is over. Whatever it answers is fine: not every server lets its clients end sessions,
 * and the session may be gone already. Never rejects and takes no longer than `closeMs`.
 */
export function endSession(source: StreamSource, state: SessionHeaders): Promise<void> {
  const { endpoint } = source;
  const { closeMs } = endpoint.timeouts;
  const timeouts = {
    ...endpoint.timeouts,
    connectMs: closeMs,
    firstByteMs: closeMs,
    idleMs: closeMs,
    totalMs: closeMs,
  };
  return new Promise((resolve) => {
    const answer: AnswerHandler = { head: () => resolve(), bytes() {}, end() {}, fail: () => resolve() };
    const request = new HttpRequest({ ...endpoint, timeouts }, answer, { since: endpoint.deadlines.now() });
    provideHeaders(
      source.headers,
      (provided) => request.send('DELETE', bareHeaders(provided, state)),
      () => {
        request.abort();
        resolve();
      },
    );
  });
}

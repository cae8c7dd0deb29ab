import type { IncomingMessage, ServerResponse } from 'node:http';

const BODY_MS = 20_000;
const LATE = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';

/** Ends a request whose body takes too long: libraries wait for it as long as a byte comes now and then. */
export function limitBody(request: IncomingMessage, response: ServerResponse, ms = BODY_MS): void {
  const { headers, socket } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) socket.write(LATE);
    socket.destroySoon();
  }, ms);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop);
  request.once('close', stop);
}

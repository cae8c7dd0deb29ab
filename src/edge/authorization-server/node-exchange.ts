import { IncomingMessage, type ServerResponse } from 'node:http';
import { HubError } from '../../kernel/index.js';

/** A request as browsers' own objects show it, without its body. */
export function toWebRequest(request: IncomingMessage, base: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  return new Request(new URL(request.url ?? '/', base), { headers });
}

/** The body, up to a size and within a time. */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => request.destroy(), timeoutMs);
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > maxBytes) throw new HubError('request_too_large', 'the body is too large');
      chunks.push(bytes);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks, size);
}

/** The same request with another body. */
export function withBody(request: IncomingMessage, body: string): IncomingMessage {
  const other = new IncomingMessage(request.socket);
  other.method = request.method ?? 'POST';
  other.url = request.url ?? '/';
  other.headers = {
    ...request.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  delete other.headers['transfer-encoding'];
  other.httpVersion = request.httpVersion;
  // An incomplete message takes its connection with it when it ends.
  other.complete = true;
  other.push(body);
  other.push(null);
  return other;
}

export async function sendResponse(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  if (response.headersSent || response.destroyed) return;
  // What others set on it, such as cookies, stays.
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.setHeader('content-length', String(body.length));
  response.writeHead(answer.status).end(body);
}

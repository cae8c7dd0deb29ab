import type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from '../exchange.js';
import type { McpServer } from '../mcp-server.js';
import { Entry, FAILED, TOO_LARGE, TOO_SLOW, type EarlyAnswer, type EntryOptions } from './entry.js';

/** Who may call, and how long their requests may take. */
export interface FetchHandlerOptions extends EntryOptions {
  /** How long a body may take to arrive. Default 20 s. */
  readonly bodyTimeoutMs?: number;
}

/** Serves MCP wherever web requests are answered with web responses. */
export function toFetchHandler(
  server: McpServer,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  const entry = new Entry(options);
  const bodyTimeoutMs = options.bodyTimeoutMs ?? 20_000;
  return async (request) => {
    const url = new URL(request.url);
    const target = url.pathname + url.search;
    const headers: ExchangeHeaders = { host: url.host, ...Object.fromEntries(request.headers) };
    try {
      const early = entry.check(request.method, target, headers);
      if (early !== undefined) return toResponse(early, entry, headers);
      const principal = await entry.identify(headers);
      if (typeof principal !== 'string') return toResponse(principal, entry, headers);
      const body = await readBody(request, headers, entry.maxBodyBytes, bodyTimeoutMs);
      if (!(body instanceof Uint8Array)) return toResponse(body, entry, headers);
      const exchange = new WebExchange(request, target, headers, body, entry.sharing(headers));
      server.handle(exchange, principal);
      return await exchange.response;
    } catch {
      return toResponse(FAILED, entry, headers);
    }
  };
}

function toResponse(answer: EarlyAnswer, entry: Entry, headers: ExchangeHeaders): Response {
  const shared = entry.isShared(answer) ? entry.sharing(headers) : undefined;
  return new Response(answer.body ?? null, {
    status: answer.status,
    headers: { ...answer.headers, ...shared },
  });
}

async function readBody(
  request: Request,
  headers: ExchangeHeaders,
  maxBytes: number,
  timeoutMs: number,
): Promise<Uint8Array | EarlyAnswer> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) return TOO_LARGE;
  if (request.body === null) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let received = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, timeoutMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return TOO_SLOW;
      if (done) return Buffer.concat(chunks, received);
      received += value.byteLength;
      if (received > maxBytes) {
        reader.cancel().catch(() => {});
        return TOO_LARGE;
      }
      chunks.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

class WebExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: ExchangeHeaders;
  readonly body: Uint8Array;
  readonly response: Promise<Response>;
  readonly #signal: AbortSignal;
  readonly #shared: AnswerHeaders | undefined;
  #answer: ((response: Response) => void) | undefined;
  #listeners: (() => void)[] = [];
  #over = false;

  constructor(
    request: Request,
    target: string,
    headers: ExchangeHeaders,
    body: Uint8Array,
    shared: AnswerHeaders | undefined,
  ) {
    this.method = request.method;
    this.target = target;
    this.headers = headers;
    this.body = body;
    this.#signal = request.signal;
    this.#shared = shared;
    this.response = new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    this.#over = true;
    const text = typeof body === 'string' || body === undefined ? body : Buffer.from(body);
    this.#respond(new Response(text ?? null, { status, headers: { ...headers, ...this.#shared } }));
  }

  stream(status: number, headers: AnswerHeaders): AnswerStream {
    const stream = new WebStream(
      () => this.#aborted(),
      () => {
        this.#over = true;
      },
    );
    this.#respond(new Response(stream.readable, { status, headers: { ...headers, ...this.#shared } }));
    return stream;
  }

  onAbort(listener: () => void): void {
    if (this.#listeners.length === 0) {
      this.#signal.addEventListener('abort', () => this.#aborted(), { once: true });
    }
    this.#listeners.push(listener);
    if (this.#signal.aborted) this.#aborted();
  }

  #respond(response: Response): void {
    this.#answer?.(response);
    this.#answer = undefined;
  }

  #aborted(): void {
    if (this.#over) return;
    this.#over = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

const ENCODER = new TextEncoder();

class WebStream implements AnswerStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onCancel: () => void, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          onCancel();
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get buffered(): number {
    return Math.max(0, -(this.#controller?.desiredSize ?? 0));
  }

  write(chunk: string): boolean {
    this.#controller?.enqueue(ENCODER.encode(chunk));
    return this.buffered === 0;
  }

  end(): void {
    this.#onEnd();
    this.#controller?.close();
    this.#controller = undefined;
  }

  abort(): void {
    this.#onEnd();
    this.#controller?.error(new Error('the reader was too slow'));
    this.#controller = undefined;
  }
}

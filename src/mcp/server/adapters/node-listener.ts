import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { DueQueue } from '../due-queue.js';
import type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from '../exchange.js';
import type { McpServer } from '../mcp-server.js';
import {
  Entry,
  FAILED,
  TOO_LARGE,
  TOO_MANY_HEADERS,
  TOO_SLOW,
  type EarlyAnswer,
  type EntryOptions,
} from './entry.js';
import type { FrontTarget } from './front/front-connection.js';
import { endLingering } from './linger.js';
import { monotonic } from '../monotonic.js';

/** Who may call, and how long and large their requests may be. */
export interface NodeListenerOptions extends EntryOptions {
  /** How long a body may take to arrive. Default 20 s. */
  readonly bodyTimeoutMs?: number;
  /** Requests with more headers are refused. Default 100. */
  readonly maxHeaders?: number;
}

/** The two ways into a server: by `node:http`, and past it. */
export interface HttpFace {
  readonly listener: RequestListener;
  /** For `NodeServerOptions.front`. */
  readonly front: FrontTarget;
}

/** Serves MCP from a `node:http` server. */
export function toNodeListener(
  server: Pick<McpServer, 'handle'>,
  options: NodeListenerOptions = {},
): RequestListener {
  return toHttpFace(server, options).listener;
}

/** The same for a server that reads ordinary requests itself. */
export function toHttpFace(server: Pick<McpServer, 'handle'>, options: NodeListenerOptions = {}): HttpFace {
  const entry = new Entry(options);
  return { listener: createListener(server, entry, options), front: { server, entry } };
}

function createListener(
  server: Pick<McpServer, 'handle'>,
  entry: Entry,
  options: NodeListenerOptions,
): RequestListener {
  const expire = (exchange: NodeExchange): void => exchange.expire();
  const deadlines = new DueQueue(options.bodyTimeoutMs ?? 20_000, monotonic, expire);
  const limits = { deadlines, maxRawHeaders: 2 * (options.maxHeaders ?? 100) };
  return (request, response) => {
    const exchange = new NodeExchange(server, entry, limits, request, response);
    if (request.rawHeaders.length > limits.maxRawHeaders) exchange.refuse(TOO_MANY_HEADERS);
    else exchange.start();
  };
}

interface ReadLimits {
  readonly deadlines: DueQueue<NodeExchange>;
  /** Of names and values in turn, in the head and, once more, after the body. */
  readonly maxRawHeaders: number;
}

const NO_BODY = new Uint8Array();

/** One request of `node:http`, from its head to its answer. */
class NodeExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: ExchangeHeaders;
  body: Uint8Array = NO_BODY;
  readonly #server: Pick<McpServer, 'handle'>;
  readonly #entry: Entry;
  readonly #limits: ReadLimits;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #principal = '';
  #chunks: Buffer[] | undefined;
  #received = 0;
  #reading = false;

  constructor(
    server: Pick<McpServer, 'handle'>,
    entry: Entry,
    limits: ReadLimits,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#server = server;
    this.#entry = entry;
    this.#limits = limits;
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? '';
    this.target = request.url ?? '';
    // Only `set-cookie` can be a list, and no client sends it.
    this.headers = request.headers as ExchangeHeaders;
  }

  start(): void {
    try {
      this.#enter();
    } catch {
      this.refuse(FAILED);
    }
  }

  #enter(): void {
    const early = this.#entry.check(this.method, this.target, this.headers);
    if (early !== undefined) {
      this.refuse(early);
      return;
    }
    const principal = this.#entry.identify(this.headers, this.#request.socket);
    if (principal instanceof Promise) {
      principal.then(
        (known) => this.#identified(known),
        () => this.refuse(FAILED),
      );
    } else {
      this.#identified(principal);
    }
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const fields = toFields(headers);
    if (status !== 204) fields.push('content-length', String(byteLength(body)));
    this.#share(fields);
    response.writeHead(status, fields);
    response.end(body);
  }

  sendParts(status: number, headers: AnswerHeaders, parts: readonly (string | Uint8Array)[]): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const fields = toFields(headers);
    fields.push('content-length', String(parts.reduce((sum, part) => sum + byteLength(part), 0)));
    this.#share(fields);
    response.writeHead(status, fields);
    response.cork();
    for (const part of parts) response.write(part);
    response.end();
  }

  stream(status: number, headers: AnswerHeaders): AnswerStream {
    const response = this.#response;
    const fields = toFields(headers);
    this.#share(fields);
    if (!response.headersSent) response.writeHead(status, fields);
    return new NodeStream(response);
  }

  onAbort(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed) {
      if (!response.writableEnded) listener();
      return;
    }
    response.once('close', () => {
      if (!response.writableEnded) listener();
    });
  }

  expire(): void {
    this.#stopReading();
    this.refuse(TOO_SLOW);
  }

  #identified(principal: string | EarlyAnswer): void {
    if (typeof principal !== 'string') {
      this.refuse(principal);
      return;
    }
    this.#principal = principal;
    const declared = this.headers['content-length'];
    if (declared === undefined && this.headers['transfer-encoding'] === undefined) {
      this.#server.handle(this, principal);
    } else if (declared !== undefined && Number(declared) > this.#entry.maxBodyBytes) {
      this.refuse(TOO_LARGE);
    } else {
      this.#read();
    }
  }

  #read(): void {
    this.#reading = true;
    this.#limits.deadlines.add(this);
    this.#request.on('data', (chunk: Buffer) => this.#data(chunk));
    this.#request.on('end', () => this.#end());
    // A body that ends early is no request, and there is nobody left to tell.
    this.#request.on('close', () => this.#stopReading());
  }

  #data(chunk: Buffer): void {
    if (!this.#reading) return;
    this.#received += chunk.length;
    if (this.#received > this.#entry.maxBodyBytes) {
      this.#stopReading();
      this.refuse(TOO_LARGE);
    } else if (this.#chunks !== undefined) {
      this.#chunks.push(chunk);
    } else {
      this.#chunks = [chunk];
    }
  }

  #end(): void {
    if (!this.#reading) return;
    const chunks = this.#chunks ?? [];
    this.#stopReading();
    if (this.#request.rawTrailers.length > this.#limits.maxRawHeaders) {
      this.refuse(TOO_MANY_HEADERS);
      return;
    }
    this.body =
      chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, this.#received);
    this.#server.handle(this, this.#principal);
  }

  #stopReading(): void {
    if (!this.#reading) return;
    this.#reading = false;
    this.#chunks = undefined;
    this.#limits.deadlines.delete(this);
  }

  /** What is left of the body is of no interest: the connection ends with the answer. */
  refuse(answer: EarlyAnswer): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const hasBody =
      this.headers['content-length'] !== undefined || this.headers['transfer-encoding'] !== undefined;
    const unread = hasBody && !this.#request.complete;
    const fields = toFields(answer.headers);
    if (answer.body !== undefined) fields.push('content-length', String(byteLength(answer.body)));
    if (unread) fields.push('connection', 'close');
    if (this.#entry.isShared(answer)) this.#share(fields);
    response.writeHead(answer.status, fields);
    const { socket } = response;
    // Without a socket it waits for the answers before it, and Node closes the connection after it.
    if (!unread || socket === null) {
      response.end(answer.body);
      return;
    }
    if (answer.body === undefined) response.flushHeaders();
    else response.write(answer.body);
    this.#request.resume();
    endLingering(socket);
  }

  #share(fields: string[]): void {
    const shared = this.#entry.sharing(this.headers);
    if (shared !== undefined) fields.push(...toFields(shared));
  }
}

/** Names and values in turn: Node writes a list as it is, without looking each name up. */
function toFields(headers: AnswerHeaders): string[] {
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  return fields;
}

function byteLength(body: string | Uint8Array | undefined): number {
  if (body === undefined) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

class NodeStream implements AnswerStream {
  readonly #response: ServerResponse;
  #begun = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    // The head travels with the first event if that comes at once, and alone if it does not.
    queueMicrotask(() => {
      if (!this.#begun && !response.destroyed) response.flushHeaders();
    });
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  write(chunk: string): boolean {
    if (this.#response.writableEnded || this.#response.destroyed) return false;
    this.#begun = true;
    return this.#response.write(chunk);
  }

  end(): void {
    this.#begun = true;
    this.#response.end();
  }

  abort(): void {
    this.#response.destroy();
  }
}

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { EMPTY_HEADERS } from '../http/answers.js';
import { capConnections, type AddressCap } from './address-cap.js';
import { attachFastFront } from './front/fast-front.js';
import type { FrontTarget } from './front/front-connection.js';
import { endLingering } from './linger.js';
import { refusalText } from './refusal-text.js';

/** How long connections may take and be idle. */
export interface NodeServerOptions {
  /** How long the head of a request may take. Default 10 s. */
  readonly headersTimeoutMs?: number;
  /** How long clients are told that an idle connection is kept. Default 15 s. */
  readonly keepAliveMs?: number;
  /**
   * How much longer it is kept: a request that a client sends at the last moment must not meet a connection that is being
   * closed. Default 5 s.
   */
  readonly keepAliveGraceMs?: number;
  /** Default 16 KiB. */
  readonly maxHeaderBytes?: number;
  /** Default 100. The listener refuses requests with more. */
  readonly maxHeaders?: number;
  /** How long a body may take where requests are read past `node:http`. Default 20 s. */
  readonly bodyTimeoutMs?: number;
  /** Who serves ordinary requests without `node:http`, by path. Without it nobody does. */
  readonly front?: (path: string) => FrontTarget | undefined;
  /** How long the answer may take after a client has closed its side of the connection. Default 250 ms. */
  readonly halfCloseMs?: number;
  /** How long a client may take nothing of its answer; one that takes some now and then may be slow. Default 30 s. */
  readonly unreadMs?: number;
  /** Default: an address may have any number of connections. */
  readonly addressCap?: AddressCap;
}

/** An `http.Server` with limits on everything a client can draw out or pile up. */
export function createNodeServer(inner: RequestListener, options: NodeServerOptions = {}): Server {
  const listener = refuseDoubtful(inner);
  const keepAliveMs = options.keepAliveMs ?? 15_000;
  const unreadMs = options.unreadMs ?? 30_000;
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      // Answers may be streams without an end, and bodies have a deadline of their own.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs + (options.keepAliveGraceMs ?? 5_000),
      connectionsCheckingInterval: 1000,
      maxHeaderSize: options.maxHeaderBytes ?? 16 * 1024,
      insecureHTTPParser: false,
      joinDuplicateHeaders: true,
      requireHostHeader: true,
      noDelay: true,
    },
    listener,
  );
  // Of a connection on which nothing moves: no answer is taken, or blank lines came where a request should begin.
  server.timeout = unreadMs;
  // Node drops headers beyond its limit without a word; one more than allowed shows that there were too many.
  server.maxHeadersCount = (options.maxHeaders ?? 100) + 1;
  server.on('checkContinue', (request, response) => {
    // Only who is going to read the body asks for it.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    listener(request, response);
  });
  server.on('checkExpectation', (_, response: ServerResponse) => {
    response.writeHead(417, { 'content-length': 0, ...EMPTY_HEADERS }).end();
  });
  server.on('clientError', refuseBytes);
  server.on('connect', (_, socket) => refuseBytes(new Error('no tunnels'), socket));
  if (options.front !== undefined)
    attachFastFront(server, options.front, {
      maxHeaders: options.maxHeaders ?? 100,
      firstMs: server.headersTimeout,
      idleMs: server.keepAliveTimeout,
      announcedMs: keepAliveMs,
      bodyMs: options.bodyTimeoutMs ?? 20_000,
      unreadMs,
    });
  announceKeepAlive(server, keepAliveMs);
  server.on('timeout', endSilent);
  keepHalfClosed(server, options.halfCloseMs ?? 250, unreadMs);
  if (options.addressCap !== undefined) capConnections(server, options.addressCap);
  return server;
}

/**
 * Node's parser takes what others might read differently: any coding that ends with `chunked`, an empty one beside a
 * length, and version 2.0 in a text. Whatever else came over such a connection is not served.
 */
function refuseDoubtful(listener: RequestListener): RequestListener {
  const over = new WeakSet<Duplex>();
  return (request, response) => {
    // It came after the last answer of its connection: there is no way to answer it, so nothing is done for it.
    if (request.socket.writableEnded) return;
    const status = doubtOf(request);
    if (status === undefined && !over.has(request.socket)) {
      listener(request, response);
      return;
    }
    over.add(request.socket);
    response.writeHead(status ?? 400, {
      connection: 'close',
      'content-length': 0,
      ...EMPTY_HEADERS,
    });
    response.end();
  };
}

/** RFC 9112, sections 2.3, 6.1 and 6.3. */
function doubtOf({ headers, httpVersionMajor }: IncomingMessage): 400 | 505 | undefined {
  if (httpVersionMajor !== 1) return 505;
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  return coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined ? undefined : 400;
}

/** Node would announce all the time that it keeps connections. This is the name under which a response has it. */
function announceKeepAlive(server: Server, keepAliveMs: number): void {
  const announce: RequestListener = (_, response) => {
    (response as ServerResponse & { _keepAliveTimeout: number })._keepAliveTimeout = keepAliveMs;
  };
  server.prependListener('request', announce);
  server.prependListener('checkContinue', announce);
}

/** If it was this process that could not run, what a client sent meanwhile is read before its connection counts as idle. */
function endSilent(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead !== bytesRead || socket.writableEnded || socket.destroyed) return;
    // It does not take what it was answered.
    if (socket.writableLength > 0) socket.destroy();
    else if (answeringOn(socket) === undefined) refuseSilent(socket);
  });
}

/** A request may be on its way in this very moment: it is told that nothing was done (RFC 9110, section 15.5.9). */
function refuseSilent(socket: Socket): void {
  socket.write(refusalText('408 Request Timeout'));
  endLingering(socket);
}

const STATUS_BY_CODE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Bytes that are no HTTP request, or one that takes too long. Requests before them still get their answers. */
function refuseBytes(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const answering = answeringOn(socket);
  if (answering?.req.complete === true) {
    answering.once('close', () => refuseBytes(error, socket));
    return;
  }
  if (answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request';
  socket.end(refusalText(status));
}

/** The response that is next to leave, by the name under which Node keeps it. */
function answeringOn(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/**
 * A client may close its side once it has sent its request, and still read. Whether it does cannot be seen, so its
 * answer is given a moment; after that it counts as gone.
 */
function keepHalfClosed(server: Server, halfCloseMs: number, unreadMs: number): void {
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('connection', (socket) => {
    socket.once('end', () => {
      if (socket.destroyed) return;
      const timer = setTimeout(() => endWhenTaken(socket, unreadMs), halfCloseMs);
      timer.unref();
      socket.once('close', () => clearTimeout(timer));
    });
  });
}

/** An answer that is on its way is not cut off while its client takes it. */
function endWhenTaken(socket: Socket, unreadMs: number): void {
  if (socket.writableLength === 0) {
    socket.destroy();
    return;
  }
  socket.setTimeout(unreadMs, () => socket.destroy());
  socket.destroySoon();
}

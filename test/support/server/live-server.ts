import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpServer,
  createNodeServer,
  createNotifier,
  toHttpFace,
  type Handler,
  type McpServer,
  type NodeListenerOptions,
  type NodeServerOptions,
  type ServerEvent,
  type ServerOptions,
} from '../../../src/mcp/server/index.js';
import { DESCRIPTION, envelope, MODERN, request } from './harness.js';
import { RawConnection } from './raw-connection.js';

export interface LiveOptions {
  readonly call?: Handler;
  readonly server?: Partial<ServerOptions>;
  readonly listener?: NodeListenerOptions;
  readonly http?: NodeServerOptions;
  /** Whether ordinary requests are read past `node:http`. Default true. */
  readonly fastFront?: boolean;
}

/** The two ways in which requests are read. What a test finds must not depend on it. */
export const FRONTS = [
  { way: 'the fast front', fastFront: true },
  { way: 'node:http', fastFront: false },
] as const;

/** A server on a loopback port. */
export class LiveServer {
  readonly mcp: McpServer;
  readonly http: Server;
  readonly events: ServerEvent[] = [];
  readonly notifier = createNotifier();
  readonly #connections: RawConnection[] = [];

  constructor(options: LiveOptions) {
    this.mcp = createMcpServer({
      describe: DESCRIPTION,
      listen: this.notifier.listen,
      onEvent: (event) => this.events.push(event),
      ...options.server,
      handlers: {
        'tools/list': () => ({ tools: [] }),
        'tools/call': options.call ?? (({ params }) => ({ content: [], got: params['arguments'] })),
      },
    });
    const { listener, front } = toHttpFace(this.mcp, options.listener);
    const { bodyTimeoutMs, paths = ['/mcp'] } = options.listener ?? {};
    this.http = createNodeServer(listener, {
      ...options.http,
      ...(bodyTimeoutMs !== undefined && { bodyTimeoutMs }),
      ...(options.fastFront !== false && {
        front: (path) => (paths.includes(path) ? front : undefined),
      }),
    });
  }

  static async open(options: LiveOptions = {}): Promise<LiveServer> {
    const live = new LiveServer(options);
    await new Promise<void>((resolve) => {
      live.http.listen(0, '127.0.0.1', resolve);
    });
    return live;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  connect(options?: { readonly allowHalfOpen?: boolean }): RawConnection {
    const connection = new RawConnection(this.port, options);
    this.#connections.push(connection);
    return connection;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.mcp.close(0);
    this.http.closeAllConnections();
    await new Promise((resolve) => {
      this.http.close(resolve);
    });
  }
}

/** A whole request as bytes. */
export function rawPost(body: string, headers: Readonly<Record<string, string>> = {}): string {
  const fields = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return `POST /mcp HTTP/1.1\r\n${Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
}

/** Servers of one test file, read by one front at a time; whoever opens them closes them after each test. */
export class LiveServers {
  fastFront = true;
  readonly #opened: LiveServer[] = [];

  readonly open = async (options: LiveOptions = {}): Promise<LiveServer> => {
    const live = await LiveServer.open({ fastFront: this.fastFront, ...options });
    this.#opened.push(live);
    return live;
  };

  async close(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((live) => live.close()));
  }
}

/** A modern call of the echo tool, as bytes. */
export function rawCall(id: number, args: object = {}, meta: object = {}): string {
  const body = JSON.stringify(
    request(id, 'tools/call', { name: 'echo', arguments: args, _meta: { ...envelope(), ...meta } }),
  );
  return rawPost(body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' });
}

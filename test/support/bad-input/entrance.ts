import { expect } from 'vitest';
import { envelope, initialize, MODERN, NEWEST, request } from '../server/harness.js';
import { FRONTS, rawPost } from '../server/live-server.js';
import { RawConnection, type RawResponse } from '../server/raw-connection.js';
import { startUpstream, type ScriptedUpstream, type UpstreamScript } from '../scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../start-hub.js';

type Fields = Readonly<Record<string, string>>;

/** Something wrong, and what has to come of it. */
export interface BadInput {
  readonly name: string;
  readonly send: (at: Entrance) => string | Uint8Array;
  /** One of these; 0 is a connection that was closed without an answer. */
  readonly status: number | readonly number[];
  /** Of the JSON-RPC error. */
  readonly code?: number;
  readonly id?: unknown;
  /** Nothing else is read from this connection. */
  readonly closes?: boolean;
  /** Calls that get as far as the upstream. Default 0. */
  readonly reaches?: number;
  /** What else has to be true of the answer. */
  readonly holds?: (answer: RawResponse, at: Entrance) => boolean | Promise<boolean>;
}

const PATIENCE_MS = 10_000;
/** What a call of a healthy hub may take on a machine that does other things beside. */
const ALIVE_MS = 5_000;
const TOOLS = [{ name: 'echo', inputSchema: { type: 'object' } }];

/** A whole hub, reached by bytes. */
export class Entrance {
  readonly hub: TestHub;
  readonly upstream: ScriptedUpstream;
  /** Of the newest version with sessions, and of the only one with batches. */
  session = '';
  batchSession = '';
  readonly #connections: RawConnection[] = [];

  constructor(hub: TestHub, upstream: ScriptedUpstream) {
    this.hub = hub;
    this.upstream = upstream;
  }

  get port(): number {
    return Number(new URL(this.hub.url).port);
  }

  /** Calls that arrived at the upstream. */
  get executed(): number {
    return this.upstream.methods().filter((method) => method === 'tools/call').length;
  }

  /** What the upstream was sent last, as it stood on the wire. */
  get lastCall(): string {
    return this.upstream.seen.findLast(({ rpc }) => rpc.method === 'tools/call')?.text ?? '';
  }

  connect(): RawConnection {
    const connection = new RawConnection(this.port, { allowHalfOpen: true });
    this.#connections.push(connection);
    return connection;
  }

  /** A whole request with the key of an agent. */
  post(body: string, headers: Fields = {}): string {
    return rawPost(body, { Authorization: `Bearer ${this.hub.localKey}`, ...headers });
  }

  /** A request in the session. */
  said(body: string | object, headers: Fields = {}): string {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.post(text, { 'Mcp-Session-Id': this.session, ...headers });
  }

  /** The same with a body that is no text. */
  saidBytes(body: Uint8Array): Uint8Array {
    const head = this.said('', { 'Content-Length': String(body.length) });
    return Buffer.concat([Buffer.from(head), body]);
  }

  /** A call of `up__echo` without a session. */
  call(args: object = {}, headers: Fields = {}, id: number | string = 1): string {
    return this.modern('tools/call', { name: 'up__echo', arguments: args }, headers, id);
  }

  modern(method: string, params: object = {}, headers: Fields = {}, id: number | string = 1): string {
    const body = JSON.stringify(request(id, method, { _meta: envelope(), ...params }));
    const { name } = params as { readonly name?: unknown };
    return this.post(body, {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
      ...headers,
    });
  }

  /** A request with another method, without a body. */
  bare(method: string, target = '/mcp', headers: Fields = {}): string {
    const fields = { Host: '127.0.0.1', Authorization: `Bearer ${this.hub.localKey}`, ...headers };
    const lines = Object.entries(fields).filter(([, value]) => value !== '');
    return `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  }

  /** The first answer to these bytes; undefined if the connection is closed instead. */
  async tell(bytes: string | Uint8Array): Promise<RawResponse | undefined> {
    const connection = this.connect();
    connection.write(bytes);
    try {
      return await connection.response();
    } finally {
      connection.socket.destroy();
    }
  }

  async json(bytes: string | Uint8Array): Promise<ReturnType<typeof JSON.parse>> {
    return JSON.parse((await this.tell(bytes))?.body ?? '{}');
  }

  async openSession(revision = NEWEST, key = this.hub.localKey): Promise<string> {
    const begin = rawPost(JSON.stringify(initialize(revision)), {
      Authorization: `Bearer ${key}`,
    });
    return (await this.tell(begin))?.headers['mcp-session-id'] ?? '';
  }

  async close(): Promise<void> {
    for (const { socket } of this.#connections) socket.destroy();
    await this.hub.close();
  }
}

export interface WaysOptions {
  readonly script?: UpstreamScript;
  readonly config?: {
    readonly server?: object;
    readonly connectors?: object;
    readonly [part: string]: unknown;
  };
  readonly files?: Fields;
}

/** Two hubs before one upstream. They differ in how requests are read, and in nothing else. */
export async function openWays({ script, config, files = {} }: WaysOptions = {}) {
  const upstream = await startUpstream({ tools: TOOLS, ...script });
  const open = async (fastFront: boolean): Promise<Entrance> => {
    const hub = await startTestHub({
      config: {
        ...config,
        server: { ...config?.server, fastFront },
        connectors: { up: { url: upstream.url }, ...config?.connectors },
      },
      files,
    });
    await waitForSync(hub, 'up', 40_000);
    const entrance = new Entrance(hub, upstream);
    entrance.session = await entrance.openSession();
    entrance.batchSession = await entrance.openSession('2025-03-26');
    return entrance;
  };
  const opened = await Promise.all(FRONTS.map(({ fastFront }) => open(fastFront)));
  const byWay = new Map(FRONTS.map(({ way }, at) => [way as string, opened[at]]));
  return {
    at(way: string): Entrance {
      const entrance = byWay.get(way);
      if (entrance === undefined) throw new Error(`no way ${way}`);
      return entrance;
    },
    async close(): Promise<void> {
      for (const entrance of opened) await entrance.close();
      await upstream.close();
    },
  };
}

export type Ways = Awaited<ReturnType<typeof openWays>>;

/** A good call is answered, and soon. */
export async function checkAlive(at: Entrance): Promise<void> {
  const startedAt = performance.now();
  const answer = await at.tell(at.call({ alive: true }));
  expect([answer?.status, answer?.body]).toEqual([200, expect.stringContaining('alive')]);
  expect(performance.now() - startedAt).toBeLessThan(ALIVE_MS);
}

/** Sends it, compares what comes back, and sees that the hub is as well as before. */
export async function checkRow(at: Entrance, row: BadInput): Promise<void> {
  const before = at.executed;
  const connection = at.connect();
  connection.write(row.send(at));
  const answer = await connection.response();
  const expected = typeof row.status === 'number' ? [row.status] : row.status;
  expect(expected, answer?.body ?? '').toContain(answer?.status ?? 0);
  if (row.code !== undefined || row.id !== undefined) {
    const body = JSON.parse(answer?.body ?? '{}');
    if (row.code !== undefined) expect(body.error?.code, answer?.body).toBe(row.code);
    if (row.id !== undefined) expect(body.id).toEqual(row.id);
  }
  if (row.closes === true) {
    await connection.until(() => connection.closed, PATIENCE_MS);
    // Node answers some requests itself, with an empty chunk as the body.
    expect([connection.closed, connection.received.replace(/^0\r\n\r\n/, '')]).toEqual([true, '']);
  }
  connection.socket.destroy();
  if (answer !== undefined && row.holds !== undefined)
    expect(await row.holds(answer, at), JSON.stringify(answer).slice(0, 1_000)).toBe(true);
  const reached = at.executed - before;
  await checkAlive(at);
  // Whatever was on its way has arrived before a call that came later.
  expect([reached, at.executed - before - 1]).toEqual([row.reaches ?? 0, row.reaches ?? 0]);
}

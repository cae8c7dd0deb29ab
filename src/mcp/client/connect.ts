import {
  LegacySseTransport,
  StdioTransport,
  StreamableHttpTransport,
  type HeaderProvider,
  type HttpTransportOptions,
  type ProvidedHeaders,
  type StdioOptions,
  type Transport,
} from '../transports/index.js';
import { isLegacyRevision, type Era } from '../wire/index.js';
import { ClientCore } from './client-core.js';
import { toError } from './client-error.js';
import { establish, speaksAgainstEra, type EstablishParts } from './establish.js';
import { isCurrent, type EraVerdicts } from './era-verdicts.js';
import { McpClient } from './mcp-client.js';
import type { ClientOptions, Timeouts, TransportSource } from './options.js';
import { toSettings } from './settings.js';

/** Where the server is. */
export type ServerAddress =
  | { readonly transport: TransportSource; readonly fallback?: () => Transport }
  | HttpAddress
  | StdioOptions;

/** A server over HTTP. */
export interface HttpAddress extends Omit<HttpTransportOptions, 'url' | 'headers' | 'timeouts'> {
  readonly url: string | URL;
  readonly headers?: ProvidedHeaders | HeaderProvider;
}

/** Where the server is, and what the client can do. Only `info` and an address are required. */
export type ConnectOptions = ClientOptions & ServerAddress;

interface Route {
  readonly open: () => Transport;
  readonly renewable: boolean;
  readonly fallback: (() => Transport) | undefined;
  readonly key: string | undefined;
}

/** Connects to a server in the era it speaks. */
export async function connect(options: ConnectOptions): Promise<McpClient> {
  const settings = toSettings(options);
  const core = new ClientCore(settings);
  const route = toRoute(options, settings.timeouts);
  const era = options.era ?? 'auto';
  const verdicts =
    era === 'auto' ? new VerdictKeeper(options, route.key, () => settings.clock.epoch()) : undefined;
  const parts: EstablishParts = { ...route, settings, host: core, era, signal: options.signal };
  const known = await verdicts?.read();
  const first = await establish(parts, known).catch(async (error: unknown) => {
    if (known !== undefined && speaksAgainstEra(toError(error))) await verdicts?.drop();
    throw error;
  });
  await verdicts?.write(first.peer.era, known);
  const reopen = async () => {
    const { peer } = core.keeper.current;
    const connection = await establish({ ...parts, signal: core.keeper.closing }, peer.era);
    await verdicts?.write(connection.peer.era, peer.era);
    return connection;
  };
  core.attach(first, {
    reopen: route.renewable ? reopen : undefined,
    pinned: isLegacyRevision(era) ? era : undefined,
  });
  return new McpClient(core);
}

function toRoute(options: ConnectOptions, timeouts: Timeouts): Route {
  const { verdictKey } = options;
  if ('transport' in options) {
    const { transport, fallback } = options;
    const open = typeof transport === 'function' ? transport : () => transport;
    return { open, renewable: typeof transport === 'function', fallback, key: verdictKey };
  }
  if ('url' in options) {
    const http = toHttpOptions(options, timeouts);
    const { url } = http;
    return {
      open: () => new StreamableHttpTransport(http),
      renewable: true,
      fallback: () => new LegacySseTransport(http),
      key: verdictKey ?? `${url.origin}${url.pathname}`,
    };
  }
  const { command, args = [] } = options;
  if (command === undefined) throw new TypeError('connect needs a url, a command or a transport');
  return {
    open: () => new StdioTransport(options),
    renewable: true,
    fallback: undefined,
    key: verdictKey ?? JSON.stringify([command, ...args]),
  };
}

function toHttpOptions(address: HttpAddress, timeouts: Timeouts): HttpTransportOptions {
  const { url, headers = {}, ...rest } = address;
  // How long a call may take is decided per call, and a user may be asked in the middle of one.
  const longest = timeouts.totalMs + timeouts.inputMs;
  return {
    ...rest,
    url: new URL(url),
    headers: typeof headers === 'function' ? headers : () => headers,
    timeouts: { firstByteMs: longest, idleMs: longest, totalMs: longest },
  };
}

/** A store that fails costs a probe, never a connection. */
class VerdictKeeper {
  readonly #verdicts: EraVerdicts | undefined;
  readonly #key: string | undefined;
  readonly #now: () => number;

  constructor(options: ClientOptions, key: string | undefined, now: () => number) {
    this.#verdicts = options.verdicts;
    this.#key = key;
    this.#now = now;
  }

  async read(): Promise<Era | undefined> {
    if (this.#key === undefined) return undefined;
    try {
      const verdict = await this.#verdicts?.get(this.#key);
      return verdict !== undefined && isCurrent(verdict, this.#now()) ? verdict.era : undefined;
    } catch {
      return undefined;
    }
  }

  /** A legacy verdict keeps its age when it is only confirmed, else it would never expire. */
  async write(era: Era, known: Era | undefined): Promise<void> {
    if (this.#key === undefined || era === known) return;
    try {
      await this.#verdicts?.set(this.#key, { era, at: this.#now() });
    } catch {
      // The next connection probes again.
    }
  }

  async drop(): Promise<void> {
    if (this.#key === undefined) return;
    try {
      await this.#verdicts?.delete(this.#key);
    } catch {
      // It will fail again and be dropped then.
    }
  }
}

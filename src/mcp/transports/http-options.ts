import type { SecureContextOptions } from 'node:tls';
import { withDefaults } from '../jsonrpc/index.js';
import type { HttpLines } from './http-lines.js';

/** How much a server may send. */
export interface HttpLimits {
  /** Bytes of a JSON body, and of the data of one event. */
  readonly responseBytes: number;
  /** Bytes of one whole event stream, with all its resumptions. */
  readonly streamBytes: number;
  /** How often the stream of one request is taken up again after it broke. At most 20. */
  readonly sseReconnects: number;
}

/** In milliseconds. */
export interface HttpTimeouts {
  /** Until a connection stands, including the wait for a free one. */
  readonly connectMs: number;
  /** From the request to the head of its answer. */
  readonly firstByteMs: number;
  /** Between two pieces of an answer. Any byte counts, comments too. */
  readonly idleMs: number;
  /** For one exchange as a whole. Nothing extends it. */
  readonly totalMs: number;
  /** Instead of `idleMs` on streams that are meant to stay open and quiet. */
  readonly standingIdleMs: number;
  /** For saying goodbye to the peer's session. */
  readonly closeMs: number;
}

/**
 * Called once for every HTTP request, so that credentials can change in between. Headers which the transport sets
 * itself are not taken from it. What it throws reaches the caller of `send` unchanged.
 */
export type HeaderProvider = () => ProvidedHeaders | Promise<ProvidedHeaders>;
/** By name. */
export type ProvidedHeaders = Readonly<Record<string, string>>;

/** Asks for headers and passes them on, at once where they are at hand. */
export function provideHeaders(
  provider: HeaderProvider,
  use: (headers: ProvidedHeaders) => void,
  failed: (error: unknown) => void,
): void {
  let provided: ProvidedHeaders | Promise<ProvidedHeaders>;
  try {
    provided = provider();
  } catch (error) {
    return failed(error);
  }
  if (provided instanceof Promise) void provided.then(use, failed);
  else use(provided);
}

/** What a private certificate authority or a client certificate needs. Verification cannot be turned off here. */
export type HttpTls = Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'minVersion'>;

/** Only `url` is required. */
export interface HttpTransportOptions {
  readonly url: URL;
  readonly headers?: HeaderProvider;
  readonly limits?: Partial<HttpLimits>;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Not closed by the transport. Without one it opens its own pool, through the proxy of the environment if any. */
  readonly dispatcher?: HttpLines;
  readonly tls?: HttpTls;
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are looked up. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const MIB = 1024 * 1024;
const MAX_SSE_RECONNECTS = 20;

const DEFAULT_LIMITS: HttpLimits = { responseBytes: 8 * MIB, streamBytes: 64 * MIB, sseReconnects: 5 };

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  connectMs: 5000,
  firstByteMs: 30_000,
  idleMs: 60_000,
  totalMs: 120_000,
  standingIdleMs: 300_000,
  closeMs: 2000,
};

/** Throws `RangeError` for a limit that makes no sense. */
export function requireLimits(given?: Partial<HttpLimits>): HttpLimits {
  const limits = withDefaults(DEFAULT_LIMITS, given);
  requirePositive(limits, ['responseBytes', 'streamBytes']);
  const { sseReconnects } = limits;
  if (!Number.isInteger(sseReconnects) || sseReconnects < 0 || sseReconnects > MAX_SSE_RECONNECTS) {
    throw new RangeError(`sseReconnects must be between 0 and ${MAX_SSE_RECONNECTS}`);
  }
  return limits;
}

/** Throws `RangeError` for a time that makes no sense. */
export function requireTimeouts(given?: Partial<HttpTimeouts>): HttpTimeouts {
  const timeouts = withDefaults(DEFAULT_TIMEOUTS, given);
  requirePositive(timeouts, ['connectMs', 'firstByteMs', 'idleMs', 'totalMs', 'standingIdleMs', 'closeMs']);
  return timeouts;
}

/** Throws `TypeError` for an address this transport cannot or must not use. */
export function requireHttpUrl(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('the url must be http or https');
  // They would end up in logs and in error messages of other layers; credentials belong in headers.
  if (url.username !== '' || url.password !== '') throw new TypeError('the url must not contain credentials');
  return url;
}

function requirePositive<Values extends object>(
  values: Values,
  names: readonly (keyof Values & string)[],
): void {
  for (const name of names) {
    if (!Number.isSafeInteger(values[name]) || Number(values[name]) <= 0) {
      throw new RangeError(`${name} must be a positive whole number`);
    }
  }
}

import type { Dispatcher } from 'undici';
import { HubError, once } from '../kernel/index.js';
import { TransportError } from '../mcp/transports/index.js';
import { isPrivateHost } from '../connectors/index.js';
import { decodeBody } from './decode-body.js';
import { bare, createEgress, portOf, type Lookup } from './egress.js';
import { undici } from './undici.js';

/** The shape of `fetch`, for libraries that want one. */
export interface GuardedFetch {
  (input: string | URL, init?: GuardedRequest): Promise<Response>;
  /** Throws `egress_denied` for an address that is never asked, wherever its name leads. */
  requirePermitted(address: URL): void;
}

export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Never followed. With `manual` the bare status is handed back, otherwise a redirect is a failure. */
  readonly redirect?: string | undefined;
}

export interface GuardedFetchOptions {
  /** Origins that may lie in a private network and may be spoken to without encryption: the operator named them. */
  readonly privateOrigins?: readonly URL[];
  /** A host that may lie in a private network, on any port. Only on loopback without encryption. */
  readonly privateHost?: string | undefined;
  readonly totalMs?: number;
  readonly maxBytes?: number;
  readonly lookup?: Lookup;
}

const TOTAL_MS = 10_000;
const MAX_BYTES = 1_048_576;
/** Those that say where else to look. */
const REDIRECTS = new Set([300, 301, 302, 303, 305, 307, 308]);
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Fetches what others tell us to fetch: metadata, keys, tokens. Encrypted or on permitted loopback, to permitted
 * addresses only, without redirects and cookies, bounded in time and size. Failures are `HubError`s: `egress_denied` and
 * `upstream_too_large` for what must not be, `upstream_timeout` and `upstream_unavailable` for what may work later.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { totalMs = TOTAL_MS, maxBytes = MAX_BYTES, lookup } = options;
  const mayBePrivate = privateRule(options);
  const egress = once(() => createEgress({ mayBePrivate, connectMs: Math.min(totalMs, 5_000) }, lookup));
  const fetch = async (input: string | URL, init: GuardedRequest = {}): Promise<Response> => {
    const url = new URL(input);
    requireWay(url, options);
    const deadline = AbortSignal.timeout(totalMs);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    try {
      return await exchange(url, init, { dispatcher: egress(), signal, maxBytes });
    } catch (error) {
      throw toHubError(error, init.signal, deadline);
    }
  };
  const requirePermitted = (address: URL): void => {
    requireWay(address, options);
    const hostname = bare(address.hostname);
    if (isPrivateHost(hostname) && !mayBePrivate(hostname, portOf(address))) throw insideDenied();
  };
  return Object.assign(fetch, { requirePermitted });
}

interface Exchange {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

async function exchange(
  url: URL,
  init: GuardedRequest,
  { dispatcher, signal, maxBytes }: Exchange,
): Promise<Response> {
  const answer = await undici().request(url, {
    method: init.method ?? 'GET',
    headers: { 'accept-encoding': 'identity', ...toRecord(init.headers) },
    body: init.body instanceof URLSearchParams ? init.body.toString() : (init.body ?? null),
    dispatcher,
    signal,
  });
  if (REDIRECTS.has(answer.statusCode)) {
    // A body that is given up says so; nobody needs to hear it.
    answer.body.on('error', () => {}).destroy();
    if (init.redirect === 'manual') return new Response(null, { status: answer.statusCode });
    throw new HubError(
      'egress_denied',
      'the server answered with a redirect, and redirects are not followed',
    );
  }
  const raw = await readBody(answer.body, maxBytes);
  const headers = toHeaders(answer.headers);
  const body = await decodeBody(raw, headers.get('content-encoding'), maxBytes);
  headers.delete('content-encoding');
  headers.delete('content-length');
  const { statusCode: status } = answer;
  return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(body), { status, headers });
}

async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    // Leaving the loop destroys the stream and with it the connection.
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

/** Encrypted, or where the operator permits that it is not. */
function requireWay(url: URL, { privateOrigins = [], privateHost }: GuardedFetchOptions): void {
  if (url.username !== '' || url.password !== '')
    throw new HubError('egress_denied', 'the address contains a user name or password');
  if (url.protocol === 'https:') return;
  if (url.protocol !== 'http:') throw new HubError('egress_denied', 'the address is neither https nor http');
  const isNamed = privateOrigins.some(({ origin }) => origin === url.origin);
  if (isNamed || (privateHost !== undefined && isLoopback(url.hostname) && isLoopback(privateHost))) return;
  throw new HubError('egress_denied', 'the address is not encrypted (https)');
}

function privateRule({
  privateOrigins = [],
  privateHost,
}: GuardedFetchOptions): (hostname: string, port: string) => boolean {
  const host = privateHost === undefined ? undefined : bare(privateHost);
  return (hostname, port) =>
    privateOrigins.some((origin) => bare(origin.hostname) === hostname && portOf(origin) === port) ||
    (host !== undefined && (host === hostname || (isLoopback(host) && isLoopback(hostname))));
}

/** All spellings of this machine are one host. */
function isLoopback(hostname: string): boolean {
  const name = bare(hostname);
  return (
    isPrivateHost(name) &&
    (name === '::1' || name === 'localhost' || name.endsWith('.localhost') || name.startsWith('127.'))
  );
}

function toRecord(headers: GuardedRequest['headers']): Record<string, string> {
  return headers instanceof Headers ? Object.fromEntries(headers.entries()) : { ...headers };
}

/** Cookies are left out: nobody here is to be recognised. */
function toHeaders(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || name === 'set-cookie') continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  return headers;
}

function insideDenied(): HubError {
  return new HubError('egress_denied', 'the address lies in a network that must not be reached');
}

function tooLarge(maxBytes: number): HubError {
  return new HubError('upstream_too_large', `the answer is larger than ${maxBytes} bytes`);
}

/** The cause of a failed request may hold what was sent, so it is not kept. */
function toHubError(error: unknown, given: AbortSignal | null | undefined, deadline: AbortSignal): HubError {
  if (error instanceof HubError) return error;
  if (given?.aborted === true && !deadline.aborted)
    return new HubError('cancelled', 'the request was given up');
  if (deadline.aborted) return new HubError('upstream_timeout', 'the server took too long to answer');
  if (error instanceof TransportError && error.code === 'EGRESS_DENIED') return insideDenied();
  return new HubError('upstream_unavailable', 'the server cannot be reached');
}

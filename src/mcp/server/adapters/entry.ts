import { INVALID_REQUEST, writeError } from '../../jsonrpc/index.js';
import { HEADER_METHOD, HEADER_NAME, HEADER_REVISION, HEADER_SESSION } from '../../wire/index.js';
import type { AnswerHeaders, ExchangeHeaders } from '../exchange.js';
import { EMPTY_HEADERS, JSON_HEADERS } from '../http/answers.js';
import type { MaybePromise } from '../maybe-promise.js';
import { createGuard, type Guard, type GuardOptions } from './guard.js';

/** What both HTTP adapters need to know. */
export interface EntryOptions {
  /** Exact paths that are served. Default `/mcp`. */
  readonly paths?: readonly string[];
  /** Who sends this. Undefined: it shows nothing, answered 401. Without it everybody is `principal`. */
  readonly authenticate?: (
    headers: ExchangeHeaders,
  ) => MaybePromise<string | AuthenticationRefusal | undefined>;
  readonly principal?: string;
  /** The `WWW-Authenticate` of a 401 to a request that shows nothing. Default `Bearer`. */
  readonly challenge?: string | ((headers: ExchangeHeaders) => string);
  /** Hears of what was shown and refused, with the address of the connection, and the headers, which may name another. */
  readonly onRefused?: (
    refusal: AuthenticationRefusal,
    address: string | undefined,
    headers: ExchangeHeaders,
  ) => void;
  /** `false` where something in front has checked `Host` and `Origin`. */
  readonly guard?: GuardOptions | false;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** `Mcp-Param-*` headers that web pages may send. */
  readonly paramHeaders?: readonly string[];
  /** What `OPTIONS` is answered with. Default `POST`, `GET` and `DELETE`; where there are no streams `POST` alone is served. */
  readonly methods?: readonly string[];
}

/** What somebody showed is not good enough. */
export interface AuthenticationRefusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
  /** The `WWW-Authenticate`, where one helps. */
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  /** For whoever keeps a record; never shown. */
  readonly reason: string;
}

/** A socket, as far as it matters here. */
interface Sender {
  readonly remoteAddress?: string | undefined;
}

/** An answer that is given before anybody looks at the body. */
export interface EarlyAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string | undefined;
}

const DEFAULT_MAX_BODY = 4 * 1024 * 1024;
const MAX_TARGET_LENGTH = 8 * 1024;
const METHODS = ['POST', 'GET', 'DELETE'];
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i;

/** The checks in front of the protocol, in order: host, origin, path, preflight. */
export class Entry {
  readonly maxBodyBytes: number;
  readonly #paths: ReadonlySet<string>;
  readonly #guard: Guard | undefined;
  readonly #authenticate: EntryOptions['authenticate'];
  readonly #principal: string;
  readonly #methods: string;
  readonly #preflight: AnswerHeaders;
  readonly #challenge: NonNullable<EntryOptions['challenge']>;
  readonly #onRefused: EntryOptions['onRefused'];

  constructor(options: EntryOptions = {}) {
    this.maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY;
    this.#paths = new Set(options.paths ?? ['/mcp']);
    this.#guard = options.guard === false ? undefined : createGuard(options.guard);
    this.#authenticate = options.authenticate;
    this.#principal = options.principal ?? 'anonymous';
    this.#methods = (options.methods ?? METHODS).join(', ');
    this.#preflight = preflightHeaders(this.#methods, options.paramHeaders ?? []);
    this.#challenge = options.challenge ?? 'Bearer';
    this.#onRefused = options.onRefused;
  }

  /** The answer to a request that gets no further. */
  check(method: string, target: string, headers: ExchangeHeaders): EarlyAnswer | undefined {
    if (target.length > MAX_TARGET_LENGTH) return TARGET_TOO_LONG;
    let path = target;
    let authority: string | undefined;
    if (!target.startsWith('/')) {
      // Absolute form: its authority counts instead of the header (RFC 9112, section 3.2.2).
      [, authority, path = ''] = ABSOLUTE.exec(target) ?? [];
      if (authority === undefined) return refusal(400, 'Malformed request target');
    }
    const guarded = this.#guard?.check(headers, authority);
    if (guarded !== undefined) return refusal(guarded.status, guarded.message);
    if (!this.#paths.has(withoutQuery(path))) return NOT_FOUND;
    if (method !== 'OPTIONS') return undefined;
    // Whoever writes an early answer adds what lets a page read it; twice, browsers would refuse it.
    const isShared = this.sharing(headers) !== undefined;
    return {
      status: 204,
      headers: isShared ? this.#allowed(headers) : { ...EMPTY_HEADERS, allow: this.#methods },
      body: undefined,
    };
  }

  /** Which arguments a page repeats in headers depends on the tools, so those are allowed as they are asked for. */
  #allowed(headers: ExchangeHeaders): AnswerHeaders {
    const asked = headers['access-control-request-headers']?.toLowerCase().split(',', MOST_ASKED) ?? [];
    const params = asked.map((name) => name.trim()).filter((name) => PARAM_HEADER.test(name));
    if (params.length === 0) return this.#preflight;
    const known = this.#preflight[ALLOW_HEADERS];
    return { ...this.#preflight, [ALLOW_HEADERS]: `${known}, ${params.join(', ')}` };
  }

  /** Headers that let a page of the sender's origin read the answer. Only for origins that the guard allows. */
  sharing(headers: ExchangeHeaders): AnswerHeaders | undefined {
    const origin = headers['origin'];
    if (origin === undefined || this.#guard?.allowsOrigin(origin) !== true) return undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': `${HEADER_SESSION}, www-authenticate`,
      vary: 'Origin',
    };
  }

  /** Whether a page may read an answer. One about a foreign host or origin is none of its business. */
  isShared({ status, headers }: EarlyAnswer): boolean {
    return status !== 403 || headers['www-authenticate'] !== undefined;
  }

  /** Whom a request is from, or the answer that says why it gets no further. */
  identify(headers: ExchangeHeaders, from?: Sender): MaybePromise<string | EarlyAnswer> {
    if (this.#authenticate === undefined) return this.#principal;
    const known = this.#authenticate(headers);
    if (typeof known === 'string') return known;
    return known instanceof Promise
      ? known.then((found) => (typeof found === 'string' ? found : this.#refuse(found, headers, from)))
      : this.#refuse(known, headers, from);
  }

  #refuse(
    refused: AuthenticationRefusal | undefined,
    headers: ExchangeHeaders,
    from: Sender | undefined,
  ): EarlyAnswer {
    if (refused === undefined) {
      const challenge = typeof this.#challenge === 'string' ? this.#challenge : this.#challenge(headers);
      return withHeaders(refusal(401, 'Authentication is required'), { 'www-authenticate': challenge });
    }
    this.#onRefused?.(refused, from?.remoteAddress, headers);
    return withHeaders(refusal(refused.status, refused.message), {
      ...(refused.challenge !== undefined && { 'www-authenticate': refused.challenge }),
      ...(refused.retryAfterMs !== undefined && {
        'retry-after': String(Math.ceil(refused.retryAfterMs / 1000)),
      }),
    });
  }
}

function withHeaders(answer: EarlyAnswer, headers: AnswerHeaders): EarlyAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function refusal(status: number, message: string): EarlyAnswer {
  return { status, headers: JSON_HEADERS, body: writeError(undefined, { code: INVALID_REQUEST, message }) };
}

const NOT_FOUND: EarlyAnswer = { status: 404, headers: JSON_HEADERS, body: '{"error":"not found"}' };
const TARGET_TOO_LONG: EarlyAnswer = refusal(414, 'The request target is too long');
export const TOO_LARGE: EarlyAnswer = refusal(413, 'The body is too large');
export const TOO_MANY_HEADERS: EarlyAnswer = refusal(431, 'Too many headers');
export const TOO_SLOW: EarlyAnswer = refusal(408, 'The body did not arrive in time');
export const FAILED: EarlyAnswer = { status: 500, headers: JSON_HEADERS, body: '{"error":"internal error"}' };

function withoutQuery(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

const ALLOW_HEADERS = 'access-control-allow-headers';
const PARAM_HEADER = /^mcp-param-[\w.-]{1,128}$/;
const MOST_ASKED = 64;

function preflightHeaders(methods: string, paramHeaders: readonly string[]): AnswerHeaders {
  const allowed = [
    'authorization',
    'content-type',
    'accept',
    HEADER_REVISION,
    HEADER_METHOD,
    HEADER_NAME,
    HEADER_SESSION,
    'last-event-id',
    'traceparent',
    'tracestate',
    'baggage',
    ...paramHeaders,
  ];
  return {
    ...EMPTY_HEADERS,
    allow: methods,
    'access-control-allow-methods': methods,
    [ALLOW_HEADERS]: allowed.join(', '),
    'access-control-max-age': '600',
  };
}

import type { ExchangeHeaders } from '../exchange.js';

/** Without any, only the loopback names are served. */
export interface GuardOptions {
  /** Names under which the server may be addressed, as `name` (any port) or `name:port`. Default: the loopback names only. */
  readonly hosts?: readonly string[];
  /** Web origins that may call besides those of loopback names. Others are refused, whatever they ask for. */
  readonly origins?: readonly string[];
}

/** Why a request may not even be looked at; undefined if it may. */
export type GuardRefusal = { readonly status: 400 | 403; readonly message: string };

/** Decides by `Host` and `Origin` whether a request was meant for this server, and comes from where it may come from. */
export interface Guard {
  check(headers: ExchangeHeaders, authority?: string): GuardRefusal | undefined;
  allowsOrigin(origin: string): boolean;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** `name` or `name:port`; a name is a DNS name, an IPv4 address or an IPv6 address in brackets. */
const HOST = /^([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/;
/** Scheme and host, nothing else: no user, no path. Browsers never send more. */
const ORIGIN = /^(https?):\/\/([^/?#@\\\s]+)$/;

const MALFORMED: GuardRefusal = { status: 400, message: 'Host header is missing or malformed' };
const FOREIGN_HOST: GuardRefusal = { status: 403, message: 'Host is not served here' };
const FOREIGN_ORIGIN: GuardRefusal = { status: 403, message: 'Origin is not allowed' };

/** For programs that read requests themselves; the adapters have one already. */
export function createGuard(options: GuardOptions = {}): Guard {
  return new HostAndOriginGuard(options);
}

class HostAndOriginGuard implements Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  /** Hosts that were found good; a server is addressed by few names. */
  readonly #known = new Set<string>();

  constructor(options: GuardOptions) {
    this.#hosts = new Set((options.hosts ?? LOOPBACK).map((host) => host.toLowerCase()));
    this.#origins = new Set((options.origins ?? []).map(normalOrigin));
  }

  check(headers: ExchangeHeaders, authority = headers['host']): GuardRefusal | undefined {
    const refusal = authority === undefined ? MALFORMED : this.#checkHost(authority);
    if (refusal !== undefined) return refusal;
    const origin = headers['origin'];
    return origin === undefined || this.allowsOrigin(origin) ? undefined : FOREIGN_ORIGIN;
  }

  allowsOrigin(origin: string): boolean {
    if (this.#origins.has(origin)) return true;
    const [, scheme, host] = ORIGIN.exec(origin) ?? [];
    if (scheme === undefined || host === undefined) return false;
    const name = HOST.exec(host)?.[1];
    return name !== undefined && LOOPBACK.includes(name);
  }

  #checkHost(authority: string): GuardRefusal | undefined {
    if (this.#known.has(authority)) return undefined;
    const host = authority.toLowerCase();
    const name = HOST.exec(host)?.[1];
    if (name === undefined) return MALFORMED;
    if (!this.#hosts.has(host) && !this.#hosts.has(name)) return FOREIGN_HOST;
    if (this.#known.size < 64) this.#known.add(authority);
    return undefined;
  }
}

function normalOrigin(origin: string): string {
  const url = new URL(origin);
  if (url.origin === 'null' || url.origin !== origin.replace(/\/$/, '').toLowerCase()) {
    throw new TypeError(`not a web origin: ${origin}`);
  }
  return url.origin;
}

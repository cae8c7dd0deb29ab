import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import type { Clock } from '../kernel/index.js';
import { KeysUnavailable } from './check-jwt.js';

/** Fetches what an issuer publishes. Checks addresses, follows nothing, reads a bounded body. */
export type IssuerFetch = (
  url: string,
  init?: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Undefined: the issuer's metadata tells. */
  readonly jwksUri: string | undefined;
  readonly fetch: IssuerFetch;
  readonly clock: Clock;
}

type KeyFinder = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

const TIMEOUT_MS = 5_000;
const KEPT_MS = 10 * 60_000;
/** Keys that are not known are asked for again, but not for everybody who makes one up. */
const COOL_DOWN_MS = 30_000;
/** After a failure nobody waits for another one. */
const CALM_MS = 5_000;

/** The keys of an issuer: fetched at the first need, kept, and fetched again for one that is new. */
export function createIssuerKeys(options: IssuerKeysOptions): KeyFinder {
  const keys = new IssuerKeys(options);
  return (header, token) => keys.find(header, token);
}

class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #jwksUri: string | undefined;
  #finder: KeyFinder | undefined;
  #fetchedAt = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
    this.#jwksUri = options.jwksUri;
  }

  async find(header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey> {
    if (this.#finder === undefined) await this.#fetch();
    else if (this.#age() > KEPT_MS) {
      // Old keys are better than none while the issuer is down; after a failure nobody waits for it either.
      const fetched = this.#fetch().catch(() => undefined);
      if (this.#failedAt < this.#fetchedAt) await fetched;
    }
    const finder = this.#finder;
    if (finder === undefined) throw new KeysUnavailable('the keys of the issuer could not be fetched');
    const { errors } = await import('jose');
    try {
      return await finder(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || this.#age() <= COOL_DOWN_MS) throw error;
      await this.#fetch();
      return (this.#finder ?? finder)(header, token);
    }
  }

  #age(): number {
    return this.#options.clock.monotonic() - this.#fetchedAt;
  }

  #fetch(): Promise<void> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#failedAt < CALM_MS)
      throw new KeysUnavailable('the keys of the issuer could not be fetched a moment ago');
    try {
      const { createLocalJWKSet } = await import('jose');
      this.#jwksUri ??= await this.#discover();
      this.#finder = createLocalJWKSet((await this.#read(this.#jwksUri)) as JSONWebKeySet);
      this.#fetchedAt = clock.monotonic();
    } catch (error) {
      this.#failedAt = clock.monotonic();
      // An issuer may have moved its keys: what was found out before is found out anew.
      this.#jwksUri = this.#options.jwksUri;
      throw error instanceof KeysUnavailable
        ? error
        : new KeysUnavailable('the keys of the issuer could not be fetched', { cause: error });
    }
  }

  async #read(url: string): Promise<unknown> {
    const answer = await this.#options.fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.status !== 200) throw new KeysUnavailable('the issuer did not give what was asked for');
    return answer.json();
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#options;
    for (const place of metadataPlaces(issuer)) {
      const metadata = await this.#read(place).catch(() => undefined);
      if (typeof metadata !== 'object' || metadata === null) continue;
      const { issuer: named, jwks_uri: uri } = metadata as Record<string, unknown>;
      if (named === issuer && typeof uri === 'string' && URL.canParse(uri)) return uri;
    }
    throw new KeysUnavailable('the issuer does not say where its keys are');
  }
}

/** As RFC 8414, section 3, and OpenID Connect Discovery, section 4, name them. */
function metadataPlaces(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

import type { JWTVerifyGetKey } from 'jose';
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
  readonly jwksUri: string | undefined;
  readonly fetch: IssuerFetch;
  readonly clock: Clock;
}

const TIMEOUT_MS = 5_000;
/** Keys that are not known are asked for again, but not by everybody who makes one up. */
const COOL_DOWN_MS = 30_000;
const KEPT_MS = 10 * 60_000;
/** After a failure nobody waits for another one. */
const CALM_MS = 5_000;

/** The keys of an issuer: fetched at the first need, kept, and fetched again for a key that is new. */
export function createIssuerKeys({ issuer, jwksUri, fetch, clock }: IssuerKeysOptions): JWTVerifyGetKey {
  let source: Promise<JWTVerifyGetKey> | undefined;
  let failedAt: number | undefined;

  async function fetchCalmly(url: string): Promise<Response> {
    if (failedAt !== undefined && clock.monotonic() - failedAt < CALM_MS)
      throw new KeysUnavailable('keys of the issuer could not be fetched');
    try {
      const answer = await fetch(url, {
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (answer.status !== 200) throw new KeysUnavailable('the issuer did not give its keys');
      failedAt = undefined;
      return answer;
    } catch {
      failedAt = clock.monotonic();
      throw new KeysUnavailable('keys of the issuer could not be fetched');
    }
  }

  async function open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const url = jwksUri ?? (await discoverKeys(issuer, fetchCalmly));
    return createRemoteJWKSet(new URL(url), {
      cooldownDuration: COOL_DOWN_MS,
      cacheMaxAge: KEPT_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: (address) => fetchCalmly(address),
    });
  }

  return async (header, token) => {
    const opening = (source ??= open());
    try {
      return await (await opening)(header, token);
    } catch (error) {
      // What failed before there was a source is tried again; a key that is not there is the token's fault.
      if (error instanceof KeysUnavailable && source === opening && (await isFailed(opening)))
        source = undefined;
      throw await toKeysError(error);
    }
  };
}

async function isFailed(opening: Promise<unknown>): Promise<boolean> {
  return opening.then(
    () => false,
    () => true,
  );
}

/** Whatever the issuer sent that is no key set is its failure, not the token's. */
async function toKeysError(error: unknown): Promise<unknown> {
  const { errors } = await import('jose');
  const ofToken =
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported;
  return ofToken || error instanceof KeysUnavailable
    ? error
    : new KeysUnavailable('the keys of the issuer cannot be used');
}

/** Both kinds of metadata, at the places RFC 8414 and OpenID Connect name. */
async function discoverKeys(issuer: string, fetch: (url: string) => Promise<Response>): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
  ];
  for (const place of places) {
    const found = await readJwksUri(place, issuer, fetch);
    if (found !== undefined) return found;
  }
  throw new KeysUnavailable('the issuer does not say where its keys are');
}

async function readJwksUri(
  place: string,
  issuer: string,
  fetch: (url: string) => Promise<Response>,
): Promise<string | undefined> {
  let metadata: unknown;
  try {
    metadata = await (await fetch(place)).json();
  } catch {
    return undefined;
  }
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { issuer: named, jwks_uri: uri } = metadata as Record<string, unknown>;
  return named === issuer && typeof uri === 'string' && URL.canParse(uri) ? uri : undefined;
}

import {
  digestKey,
  type Agent,
  type Authenticator,
  type Identity,
  type RefusedToken,
} from '../agents/index.js';
import { isHubError } from '../kernel/index.js';
import type { AuthenticationRefusal, ExchangeHeaders } from '../mcp/server/index.js';
import { bearerChallenge, type ChallengeParts } from './bearer-challenge.js';
import { resourcePathOf, type OwnResources } from './own-resources.js';

/** What the hub says of itself to those who may sign in with a token. */
export interface TokenFace {
  /** Whether anybody's tokens count. */
  isOn(): boolean;
  /** Scopes worth asking for. */
  scopes(): readonly string[];
  readonly resources: OwnResources;
}

export interface CallerIdentification {
  /** Undefined: it shows nothing. Answers at once where key or token is remembered. */
  identify(
    headers: ExchangeHeaders,
    path: string,
  ): Agent | AuthenticationRefusal | undefined | Promise<Agent | AuthenticationRefusal | undefined>;
  /** What to say to somebody who shows nothing. */
  challenge(headers: ExchangeHeaders, path: string): string;
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const RETRY_MS = 5_000;

type Found = Agent | AuthenticationRefusal | undefined;

/** What a header says. */
interface Shown {
  readonly header: string;
  readonly token: string;
  readonly digest: string;
}

export function createCallerIdentification(
  authenticator: Pick<Authenticator, 'identify'>,
  tokens: TokenFace | undefined,
): CallerIdentification {
  return new Doorkeeper(authenticator, tokens);
}

class Doorkeeper implements CallerIdentification {
  readonly #authenticator: Pick<Authenticator, 'identify'>;
  readonly #tokens: TokenFace | undefined;
  /** By the headers themselves: a connection whose client repeats them keeps them, and with them what was made of them. */
  readonly #shown = new WeakMap<ExchangeHeaders, Shown>();

  constructor(authenticator: Pick<Authenticator, 'identify'>, tokens: TokenFace | undefined) {
    this.#authenticator = authenticator;
    this.#tokens = tokens;
  }

  identify(headers: ExchangeHeaders, path: string): Found | Promise<Found> {
    const header = headers['authorization'];
    if (header === undefined) return undefined;
    const shown = this.#read(headers, header);
    if (shown === undefined) {
      return {
        status: 401,
        message: 'The Authorization header is malformed',
        challenge: this.challenge(headers, path, { error: 'invalid_request' }),
        reason: 'a malformed Authorization header',
      };
    }
    const identity = this.#authenticator.identify(shown.token, shown.digest);
    return identity instanceof Promise
      ? identity.then((found) => this.#judge(found, headers, path), refuseWithoutStore)
      : this.#judge(identity, headers, path);
  }

  #read(headers: ExchangeHeaders, header: string): Shown | undefined {
    const known = this.#shown.get(headers);
    if (known !== undefined && known.header === header) return known;
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) return undefined;
    const shown = { header, token, digest: digestKey(token) };
    this.#shown.set(headers, shown);
    return shown;
  }

  challenge(headers: ExchangeHeaders, path: string, parts: ChallengeParts = {}): string {
    const tokens = this.#tokens;
    if (tokens === undefined || !tokens.isOn()) return bearerChallenge(parts);
    const base = tokens.resources.baseFor(headers['host']);
    return bearerChallenge({
      scopes: tokens.scopes(),
      ...parts,
      resourceMetadata: `${base}/.well-known/oauth-protected-resource${resourcePathOf(path)}`,
    });
  }

  #judge(identity: Identity, headers: ExchangeHeaders, path: string): Agent | AuthenticationRefusal {
    if (identity === undefined) return this.#refuse(headers, path, 'a wrong key');
    if (!('outcome' in identity)) return identity;
    if (identity.outcome === 'refused') return this.#refuseToken(headers, path, identity);
    const { audience, expectedAudience, agent } = identity;
    const isMeant =
      expectedAudience !== undefined ||
      audience.some((resource) => this.#tokens?.resources.covers(resource, path) === true);
    return isMeant ? agent : this.#refuse(headers, path, 'a token for another endpoint');
  }

  #refuse(headers: ExchangeHeaders, path: string, reason: string): AuthenticationRefusal {
    return {
      status: 401,
      message: 'The key or token is not accepted',
      challenge: this.challenge(headers, path, { error: 'invalid_token' }),
      reason,
    };
  }

  #refuseToken(headers: ExchangeHeaders, path: string, verdict: RefusedToken): AuthenticationRefusal {
    const { error, reason, scopes = [] } = verdict;
    switch (error) {
      case 'invalid_token':
        return this.#refuse(headers, path, reason);
      case 'insufficient_scope':
        return {
          status: 403,
          message: 'The token does not have the scopes that are needed',
          challenge: this.challenge(headers, path, { error, scopes }),
          reason,
        };
      case 'unavailable':
        return { status: 503, message: 'The token cannot be checked now', retryAfterMs: RETRY_MS, reason };
    }
  }
}

function refuseWithoutStore(error: unknown): AuthenticationRefusal {
  if (!isHubError(error, 'storage_unavailable')) throw error;
  return {
    status: 503,
    message: 'The key cannot be checked now',
    retryAfterMs: RETRY_MS,
    reason: 'the store cannot be read',
  };
}

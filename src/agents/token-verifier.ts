import type { Clock } from '../kernel/index.js';
import type { Agent } from './agent.js';
import type { IssuerCheck, TokenClaims } from './token-issuer.js';
import { refuseToken, type RefusedToken, type TokenVerdict } from './token-verdict.js';

/** Finds out what access tokens are worth. */
export interface TokenVerifier {
  /** What was found out about it not long ago. */
  remembered(digest: string): TokenVerdict | undefined;
  verify(token: string, digest: string): Promise<TokenVerdict>;
  /** Whose tokens count from now on. */
  configure(issuers: readonly IssuerCheck[]): void;
  /** Whether there is anybody whose tokens count. */
  readonly isOn: boolean;
  forget(): void;
}

/** How long a verdict may outlive a change that nobody told us of. */
const REMEMBERED_MS = 60_000;
/** Refusals are remembered too, so that a bad token cannot make us ask its issuer over and over. */
const REFUSED_MS = 10_000;
const MAX_REMEMBERED = 10_000;
const MAX_TOKEN_LENGTH = 16 * 1024;
const JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

export interface TokenVerifierOptions {
  readonly clock: Clock;
  /** Whether somebody who names us in this way means us, at whatever endpoint. */
  readonly isOwnAudience: (audience: string) => boolean;
  /** Whether it is a key or an admin token of this hub, good or not. */
  readonly isOwnSecret: (token: string, digest: string) => Promise<boolean>;
}

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  return new CachingVerifier(options);
}

class CachingVerifier implements TokenVerifier {
  readonly #clock: Clock;
  readonly #isOwnAudience: TokenVerifierOptions['isOwnAudience'];
  readonly #isOwnSecret: TokenVerifierOptions['isOwnSecret'];
  #issuers: readonly IssuerCheck[] = [];
  #verdicts = new Map<string, { readonly verdict: TokenVerdict; readonly until: number }>();
  /** Tokens that let the same agent do the same lead to one object, by which others remember things. */
  #agents = new Map<string, Agent>();

  constructor({ clock, isOwnAudience, isOwnSecret }: TokenVerifierOptions) {
    this.#clock = clock;
    this.#isOwnAudience = isOwnAudience;
    this.#isOwnSecret = isOwnSecret;
  }

  get isOn(): boolean {
    return this.#issuers.length > 0;
  }

  configure(issuers: readonly IssuerCheck[]): void {
    this.#issuers = issuers;
    this.forget();
  }

  forget(): void {
    this.#verdicts = new Map();
    this.#agents = new Map();
  }

  remembered(digest: string): TokenVerdict | undefined {
    const known = this.#verdicts.get(digest);
    return known !== undefined && known.until > this.#clock.monotonic() ? known.verdict : undefined;
  }

  async verify(token: string, digest: string): Promise<TokenVerdict> {
    const seen = this.#verdicts;
    const { verdict, expiresAt } = await this.#examine(token, digest);
    // What was found out before a change must not be remembered after it.
    if (seen !== this.#verdicts) return verdict;
    if (seen.size >= MAX_REMEMBERED) this.#verdicts = new Map();
    const longest = verdict.outcome === 'accepted' ? REMEMBERED_MS : REFUSED_MS;
    const ms = Math.min(longest, expiresAt - this.#clock.now());
    if (ms > 0 && !(verdict.outcome === 'refused' && verdict.error === 'unavailable'))
      this.#verdicts.set(digest, { verdict, until: this.#clock.monotonic() + ms });
    return verdict;
  }

  async #examine(token: string, digest: string): Promise<{ verdict: TokenVerdict; expiresAt: number }> {
    const forever = Number.POSITIVE_INFINITY;
    if (token.length > MAX_TOKEN_LENGTH) return { verdict: refuseToken('a token too long'), expiresAt: 0 };
    let refused: RefusedToken = refuseToken('a wrong key or token');
    const issuers = this.#issuersFor(token);
    // Asking an issuer means showing it the token: what opens this hub, now or later, is nobody else's to see.
    if (issuers.some(({ takesOpaque }) => takesOpaque) && (await this.#isOwnSecret(token, digest)))
      return { verdict: refused, expiresAt: 0 };
    for (const issuer of issuers) {
      const claims = await issuer.check(token);
      if (!('outcome' in claims))
        return { verdict: await this.#judge(issuer, claims), expiresAt: claims.expiresAt };
      refused = claims;
    }
    return { verdict: refused, expiresAt: forever };
  }

  /** A JWT names its issuer; of anything else only issuers that can be asked know something. */
  #issuersFor(token: string): readonly IssuerCheck[] {
    const named = issuerOf(token);
    return named === undefined
      ? this.#issuers.filter(({ takesOpaque }) => takesOpaque)
      : this.#issuers.filter((issuer) => issuer.issuer() === named);
  }

  async #judge(issuer: IssuerCheck, claims: TokenClaims): Promise<TokenVerdict> {
    const { audience: expected } = issuer;
    const isMeant = (audience: string): boolean =>
      expected === undefined ? this.#isOwnAudience(audience) : expected.includes(audience);
    // First of all: a token for somebody else must cause nothing here.
    if (!claims.audience.some(isMeant)) return refuseToken('a token for somebody else');
    const missing = issuer.requiredScopes.some((scope) => !claims.scopes.includes(scope));
    if (missing) {
      return {
        outcome: 'refused',
        error: 'insufficient_scope',
        reason: 'a token without a scope that is needed',
        scopes: issuer.requiredScopes,
      };
    }
    const agent = await issuer.findAgent(claims);
    if ('outcome' in agent) return agent;
    if (!agent.enabled) return refuseToken('a token for an agent that is off');
    return {
      outcome: 'accepted',
      agent: this.#withScopes(agent, claims.scopes),
      audience: claims.audience,
      expectedAudience: expected,
    };
  }

  #withScopes(agent: Agent, scopes: readonly string[]): Agent {
    const key = JSON.stringify([agent, scopes]);
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const scoped = { ...agent, scopes };
    if (this.#agents.size >= MAX_REMEMBERED) this.#agents = new Map();
    this.#agents.set(key, scoped);
    return scoped;
  }
}

/** What it says of itself, believed only as far as whom to ask. */
function issuerOf(token: string): string | undefined {
  const payload = JWT.exec(token)?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const named =
      typeof claims === 'object' && claims !== null ? (claims as { iss?: unknown }).iss : undefined;
    return typeof named === 'string' ? named : undefined;
  } catch {
    return undefined;
  }
}

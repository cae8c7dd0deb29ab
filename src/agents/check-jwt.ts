import type { JWTVerifyGetKey } from 'jose';
import type { Clock } from '../kernel/index.js';
import { readAudience, readScopes, type TokenClaims } from './token-issuer.js';
import { cannotTell, refuseToken, type RefusedToken } from './token-verdict.js';

export interface JwtExpectations {
  readonly issuer: string;
  readonly algorithms: readonly string[];
  readonly types: readonly ('at+jwt' | 'JWT')[];
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
}

/** How far two clocks may be apart. */
export const LEEWAY_SECONDS = 60;

/** Thrown where keys cannot be had, which is no fault of the token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/** Thrown where a token was signed with none of the issuer's keys. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';
}

/** Signature, issuer, time and kind of a JWT (RFC 9068, section 4). The audience is for the endpoint to judge. */
export async function checkJwt(
  token: string,
  expected: JwtExpectations,
): Promise<TokenClaims | RefusedToken> {
  const { jwtVerify, errors } = await import('jose');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, expected.keys, {
      issuer: expected.issuer,
      algorithms: [...expected.algorithms],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(expected.clock.now()),
      requiredClaims: ['iss', 'exp', 'aud'],
    });
    const kind = (protectedHeader.typ ?? 'JWT').toLowerCase().replace(/^application\//, '');
    if (!expected.types.some((type) => type.toLowerCase() === kind))
      return refuseToken('a token of the wrong type');
    return {
      audience: readAudience(payload),
      scopes: readScopes(payload),
      expiresAt: Number(payload.exp) * 1000,
      all: payload,
    };
  } catch (error) {
    if (error instanceof UnknownKey) return refuseToken('a token signed with an unknown key');
    if (error instanceof KeysUnavailable) return cannotTell(error.message);
    if (error instanceof errors.JWTExpired) return refuseToken('an expired token');
    if (error instanceof errors.JWTClaimValidationFailed)
      return refuseToken(`a token whose ${error.claim} is not accepted`);
    if (error instanceof errors.JWKSNoMatchingKey) return refuseToken('a token signed with an unknown key');
    if (error instanceof errors.JOSEError) return refuseToken('a token that is not genuine');
    throw error;
  }
}

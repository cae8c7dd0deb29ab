import { digestKey, type AdminDirectory, type Authenticator } from '../agents/index.js';
import type { Admin } from './admin.js';
import type { RefusedAttempts } from './refused-attempts.js';

export interface CheckAdminTokenDependencies {
  readonly admins: Pick<AdminDirectory, 'findByTokenDigest'>;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly attempts: RefusedAttempts;
}

/** Who shows this token from there. Throws `rate_limited` after too many wrong ones. */
export type CheckAdminToken = (attempt: {
  readonly token: string;
  readonly address: string;
}) => Promise<Admin | undefined>;

export function createCheckAdminToken({
  admins,
  authenticator,
  attempts,
}: CheckAdminTokenDependencies): CheckAdminToken {
  return async function checkAdminToken({ token, address }) {
    attempts.requireFew(address);
    // Looked up by its digest, which tells a guesser nothing about how close a guess was.
    const admin = await admins.findByTokenDigest(digestKey(token));
    if (admin !== undefined) return { id: admin.id, role: admin.role };
    // A key of an agent is a mix-up, not a guess.
    const isKey = await isKeyOfAgent(authenticator, token);
    attempts.note({
      address,
      surface: 'admin',
      reason: isKey ? 'the key of an agent instead of an admin token' : 'a wrong admin token',
      isGuess: !isKey,
    });
    return undefined;
  };
}

/** A store that cannot be asked makes nobody an agent. */
async function isKeyOfAgent(
  authenticator: Pick<Authenticator, 'authenticate'>,
  key: string,
): Promise<boolean> {
  try {
    return (await authenticator.authenticate(key)) !== undefined;
  } catch {
    return false;
  }
}

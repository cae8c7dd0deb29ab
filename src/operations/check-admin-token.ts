import { createHash, timingSafeEqual } from 'node:crypto';
import type { Agent, Authenticator } from '../agents/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type Clock, type Secret } from '../kernel/index.js';
import type { Admin } from './admin.js';
import { AttemptWindow } from './attempt-window.js';

export interface CheckAdminTokenDependencies {
  readonly token: Secret;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** Who shows this token from there. Throws `rate_limited` after too many wrong ones. */
export type CheckAdminToken = (attempt: {
  readonly token: string;
  readonly address: string;
}) => Promise<Admin | undefined>;

const MAX_WRONG = 10;
const WINDOW_MS = 5 * 60_000;
const HUB = { kind: 'hub' } as const;

export function createCheckAdminToken({
  token,
  authenticator,
  events,
  clock,
}: CheckAdminTokenDependencies): CheckAdminToken {
  const expected = digest(token.reveal());
  const wrong = new AttemptWindow({ limit: MAX_WRONG, windowMs: WINDOW_MS });
  const misplaced = new AttemptWindow({ limit: MAX_WRONG, windowMs: WINDOW_MS });

  function refuse(window: AttemptWindow, address: string, reason: string): void {
    // Beyond the limit nothing is written: whoever hammers must not fill the log.
    if (window.note(address, clock.monotonic()))
      events.append(HUB, { type: 'auth.refused', surface: 'admin', reason: `${reason} from ${address}` });
  }

  return async function checkAdminToken(attempt) {
    const retryAfterMs = wrong.blockedFor(attempt.address, clock.monotonic());
    if (retryAfterMs > 0)
      throw new HubError(
        'rate_limited',
        'too many wrong tokens from this address: wait before trying again',
        { retryAfterMs },
      );
    // Digests have one length, so the comparison takes one time whatever was sent.
    if (timingSafeEqual(digest(attempt.token), expected)) return { id: 'admin', role: 'owner' };
    // A key of an agent is a mix-up, not a guess.
    const isKey = (await findAgent(authenticator, attempt.token)) !== undefined;
    if (isKey) refuse(misplaced, attempt.address, 'the key of an agent instead of an admin token');
    else refuse(wrong, attempt.address, 'a wrong admin token');
    return undefined;
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A store that cannot be asked makes nobody an agent. */
async function findAgent(
  authenticator: Pick<Authenticator, 'authenticate'>,
  key: string,
): Promise<Agent | undefined> {
  try {
    return await authenticator.authenticate(key);
  } catch {
    return undefined;
  }
}

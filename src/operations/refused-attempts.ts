import type { EventLog } from '../governance/index.js';
import { HubError, type Clock, type Switchboard } from '../kernel/index.js';
import { AttemptWindow } from './attempt-window.js';

/** Counts what was refused, by network, for everything an admin or a browser can sign in with. */
export interface RefusedAttempts {
  /** Throws `rate_limited` after too many wrong ones. */
  requireFew(address: string): void;
  /** A guess, which counts; or a mix-up, which is only written down. */
  note(refused: Refused): void;
}

export interface Refused {
  readonly address: string;
  readonly surface: 'admin' | 'sign_in';
  readonly reason: string;
  readonly isGuess: boolean;
}

const MAX_WRONG = 10;
const WINDOW_MS = 5 * 60_000;
const HUB = { kind: 'hub' } as const;
const LINE = 'guesses';

/** Guesses of one address count together, whichever process they came to. */
export function createRefusedAttempts({
  events,
  clock,
  board,
}: {
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
  readonly board: Pick<Switchboard, 'tell' | 'serve'>;
}): RefusedAttempts {
  const guesses = new AttemptWindow({ limit: MAX_WRONG, windowMs: WINDOW_MS });
  const mixUps = new AttemptWindow({ limit: MAX_WRONG, windowMs: WINDOW_MS });
  board.serve(LINE, { told: (_, address) => void guesses.note(address, clock.monotonic()) });
  return {
    requireFew(address) {
      const retryAfterMs = guesses.blockedFor(address, clock.monotonic());
      if (retryAfterMs > 0)
        throw new HubError(
          'rate_limited',
          'too many wrong tokens from this address: wait before trying again',
          { retryAfterMs },
        );
    },
    note({ address, surface, reason, isGuess }) {
      const window = isGuess ? guesses : mixUps;
      // Beyond the limit nothing is written: whoever hammers must not fill the log.
      if (!window.note(address, clock.monotonic())) return;
      events.append(HUB, { type: 'auth.refused', surface, reason: `${reason} from ${address}` });
      if (isGuess) board.tell(undefined, LINE, address);
    },
  };
}

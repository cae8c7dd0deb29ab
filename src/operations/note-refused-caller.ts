import type { EventLog } from '../governance/index.js';
import type { Clock } from '../kernel/index.js';
import { AttemptWindow } from './attempt-window.js';

export interface NoteRefusedCallerDependencies {
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** Records that a key or token of a caller was not accepted. */
export type NoteRefusedCaller = (reason: string, address: string) => void;

const MAX_NOTED = 10;
const WINDOW_MS = 5 * 60_000;

/** Beyond a number nothing is written: whoever hammers must not fill the log. */
export function createNoteRefusedCaller({ events, clock }: NoteRefusedCallerDependencies): NoteRefusedCaller {
  const noted = new AttemptWindow({ limit: MAX_NOTED, windowMs: WINDOW_MS });
  return (reason, address) => {
    if (noted.note(address, clock.monotonic()))
      events.append(
        { kind: 'hub' },
        { type: 'auth.refused', surface: 'mcp', reason: `${reason} from ${address}` },
      );
  };
}

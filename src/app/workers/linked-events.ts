import type { WorkerLink } from '../../coordination/index.js';
import type { AppendedEvents, EventPrimary } from '../../storage/index.js';

/** It goes on in steps, and a log may be long. */
const TRIM_MS = 600_000;
/**
 * A process that stands still writes what it was given when it goes on. Given the same again meanwhile, it would write it
 * twice; whoever cannot wait so long is refused by the log itself.
 */
const LATE_MS = 600_000;

/** The log of the process that runs this worker. */
export function linkedEvents(link: WorkerLink): EventPrimary {
  return {
    next: async (events) => (await link.ask('events.next', [events], LATE_MS)) as AppendedEvents,
    async append(records) {
      await link.ask('events.append', [records]);
    },
    async settle() {
      await link.ask('events.settle', []);
    },
    async trim(sequence) {
      await link.ask('events.trim', [sequence], TRIM_MS);
    },
  };
}

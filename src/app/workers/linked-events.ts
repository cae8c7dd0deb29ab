import type { WorkerLink } from '../../coordination/index.js';
import type { AppendedEvents, EventPrimary } from '../../storage/index.js';

/** It goes on in steps, and a log may be long. */
const TRIM_MS = 600_000;

/** The log of the process that runs this worker. */
export function linkedEvents(link: WorkerLink): EventPrimary {
  return {
    next: async (events) => (await link.ask('events.next', [events])) as AppendedEvents,
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

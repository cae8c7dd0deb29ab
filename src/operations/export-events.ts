import { setImmediate as turn } from 'node:timers/promises';
import {
  BYTES_PER_PAGE,
  type EventLog,
  type EventQuery,
  type EventRecord,
  type EventStore,
} from '../governance/index.js';
import { toActor, type AdminCaller } from './admin.js';

export interface ExportEventsDependencies {
  readonly events: Pick<EventLog, 'append' | 'flush'>;
  readonly eventStore: Pick<EventStore, 'query' | 'last'>;
}

/** What is looked for, without a place in the log. */
export type EventFilter = Omit<EventQuery, 'limit' | 'maxBytes' | 'order' | 'after' | 'before'>;

export type ExportEvents = (request: {
  readonly by: AdminCaller;
  readonly filter: EventFilter;
  /** The same as it was asked for, to be recorded. */
  readonly filters: Readonly<Record<string, string>>;
}) => Promise<AsyncIterable<readonly EventRecord[]>>;

/** Records that are in memory at a time. */
const PAGE = 500;

/** The log as it is now, page after page, oldest first. That somebody takes it along is recorded before the first page. */
export function createExportEvents({ events, eventStore }: ExportEventsDependencies): ExportEvents {
  return async function exportEvents({ by, filter, filters }) {
    await events.flush();
    const upTo = (await eventStore.last())?.sequence ?? 0;
    events.append(toActor(by), { type: 'events.exported', filters, upTo });
    await events.flush();
    return pages(eventStore, filter, upTo);
  };
}

async function* pages(
  eventStore: ExportEventsDependencies['eventStore'],
  filter: EventFilter,
  upTo: number,
): AsyncGenerator<readonly EventRecord[]> {
  let after = 0;
  for (;;) {
    const page = await eventStore.query({
      ...filter,
      after,
      before: upTo + 1,
      limit: PAGE,
      maxBytes: BYTES_PER_PAGE,
      order: 'oldest',
    });
    if (page.length > 0) yield page;
    if (page.length < PAGE && page.isCut !== true) return;
    after = page.at(-1)?.sequence ?? upTo;
    // A store may answer without waiting for anything, and so may whoever takes the page.
    await turn();
  }
}

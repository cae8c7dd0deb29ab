import type { EventRecord } from '../../governance/index.js';
import { filterColumnsOf, type EventFilter } from '../event-rows.js';

/** Whether a filter finds a record that is no row as it would find it among rows. */
export function matches(
  record: EventRecord,
  { agent, connector, type, outcome, callId, tool, after, before, since, until }: EventFilter,
): boolean {
  if (
    record.sequence <= (after ?? 0) ||
    record.sequence >= (before ?? Infinity) ||
    record.at < (since ?? -Infinity) ||
    record.at >= (until ?? Infinity)
  )
    return false;
  const is = (wanted: string | undefined, found: string | null): boolean =>
    wanted === undefined || wanted === found;
  const columns = filterColumnsOf(record);
  return (
    is(agent, columns.agent) &&
    is(connector, columns.connector) &&
    is(type, columns.type) &&
    is(outcome, columns.outcome) &&
    is(callId, columns.call_id) &&
    is(tool, columns.tool)
  );
}

import type { EventQuery, EventRecord } from '../../governance/index.js';
import { toEventRow } from '../event-rows.js';

/** What a query finds among records that are no rows yet, as it would find it among rows: oldest first. */
export function findPending(
  records: readonly EventRecord[],
  {
    agent,
    connector,
    type,
    outcome,
    callId,
    tool,
    after,
    before,
    since,
    until,
  }: Omit<EventQuery, 'limit' | 'order'>,
): readonly EventRecord[] {
  const is = (wanted: string | undefined, found: string | null): boolean =>
    wanted === undefined || wanted === found;
  return records.filter((record) => {
    const row = toEventRow(record);
    return (
      row.sequence > (after ?? 0) &&
      row.sequence < (before ?? Infinity) &&
      row.at >= (since ?? -Infinity) &&
      row.at < (until ?? Infinity) &&
      is(agent, row.agent) &&
      is(connector, row.connector) &&
      is(type, row.type) &&
      is(outcome, row.outcome) &&
      is(callId, row.call_id) &&
      is(tool, row.tool)
    );
  });
}

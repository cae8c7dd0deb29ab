import type { EventQuery } from '../../governance/index.js';
import type { Db } from '../database.js';
import { whereEvents } from '../event-rows.js';
import type { EventRow } from '../tables.js';

/** The inner query reads nothing but the narrow index; rows are fetched only for what it found. */
export function sliceOf(
  db: Db,
  filter: Omit<EventQuery, 'limit' | 'order'>,
  order: EventQuery['order'],
  limit: number,
): Promise<EventRow[]> {
  const direction = order === 'newest' ? 'desc' : 'asc';
  const sequences = whereEvents(db.selectFrom('events').select('sequence'), filter)
    .orderBy('sequence', direction)
    .limit(limit);
  return db
    .selectFrom('events')
    .selectAll()
    .where('sequence', 'in', sequences)
    .orderBy('sequence', direction)
    .execute();
}

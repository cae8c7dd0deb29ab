import { sql } from 'kysely';
import type { Db } from '../database.js';
import { ANCHOR_KEY, writeAnchor, writeMark } from '../event-marks.js';
import { trimBlocks } from './block-events.js';

/** Rows, blocks and anchor change together, so that the chain holds at every moment. */
export function trimEvents(db: Db, upTo: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const rows = transaction.selectFrom('events').select(['sequence', 'hash']).where('sequence', '<=', upTo);
    const row = await rows.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
    const block = await trimBlocks(transaction, upTo);
    const last = (row?.sequence ?? 0) > (block?.sequence ?? 0) ? row : block;
    if (last === undefined) return;
    await writeMark(transaction, ANCHOR_KEY, writeAnchor(last));
    await transaction.deleteFrom('events').where('sequence', '<=', upTo).execute();
  });
}

/** The last number up to which there are no more than so many bytes, rows and blocks each; of either at least one. */
export async function endOfBytes(
  db: Db,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  maxBytes: number,
): Promise<number> {
  const rows = await db
    .selectFrom('events')
    .select(['sequence', sql<number>`octet_length(payload)`.as('bytes')])
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .orderBy('sequence')
    .execute();
  const blocks = await db
    .selectFrom('event_blocks')
    .select(['last as sequence', sql<number>`octet_length(lines)`.as('bytes')])
    .where('last', '>', after)
    .where('last', '<=', upTo)
    .orderBy('last')
    .execute();
  let end = upTo;
  for (const all of [rows, blocks]) {
    let left = maxBytes;
    for (const { sequence, bytes } of all) {
      left -= bytes;
      if (left > 0) continue;
      end = Math.min(end, sequence);
      break;
    }
  }
  return end;
}

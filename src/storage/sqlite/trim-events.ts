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

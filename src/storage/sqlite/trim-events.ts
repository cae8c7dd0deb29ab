import type { Db } from '../database.js';
import { ANCHOR_KEY, writeAnchor, writeMark } from '../event-marks.js';

/** Rows and anchor change together, so that the chain holds at every moment. */
export function trimEvents(db: Db, upTo: number): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const rows = transaction.selectFrom('events').select(['sequence', 'hash']).where('sequence', '<=', upTo);
    const row = await rows.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
    if (row === undefined) return;
    await writeMark(transaction, ANCHOR_KEY, writeAnchor(row));
    await transaction.deleteFrom('events').where('sequence', '<=', upTo).execute();
  });
}

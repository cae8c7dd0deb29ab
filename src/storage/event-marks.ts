import { GENESIS_HASH } from '../governance/index.js';
import type { Db } from './database.js';

/** Where a chain stands: the row with this number has this hash. */
export interface ChainPoint {
  readonly sequence: number;
  readonly hash: string;
}

/** The last row that was trimmed. Absent while nothing was. */
export const ANCHOR_KEY = 'storage.events.anchor';
/** Every call intended up to this row is finished, so that the search for unfinished ones can begin after it. */
export const SETTLED_KEY = 'storage.events.settled';

const GENESIS: ChainPoint = { sequence: 0, hash: GENESIS_HASH };

export function writeAnchor({ sequence, hash }: ChainPoint): string {
  return JSON.stringify({ sequence, hash });
}

export async function readAnchor(db: Db): Promise<ChainPoint> {
  const text = await readMark(db, ANCHOR_KEY);
  return text === undefined ? GENESIS : (JSON.parse(text) as ChainPoint);
}

export async function readSettled(db: Db): Promise<number> {
  return Number((await readMark(db, SETTLED_KEY)) ?? 0);
}

async function readMark(db: Db, key: string): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst())?.value;
}

/** Also inside a transaction, which is a `Db` too. */
export async function writeMark(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Whether the rows continue `head` without a gap. */
export function continues(
  head: ChainPoint,
  rows: readonly { readonly sequence: number; readonly previousHash: string; readonly hash: string }[],
): boolean {
  let { sequence, hash } = head;
  for (const row of rows) {
    if (row.sequence !== sequence + 1 || row.previousHash !== hash) return false;
    ({ sequence, hash } = row);
  }
  return true;
}

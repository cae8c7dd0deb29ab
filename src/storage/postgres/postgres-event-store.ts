import { sql, type RawBuilder } from 'kysely';
import { HubError } from '../../kernel/index.js';
import { GENESIS_HASH, type EventRecord, type EventStore } from '../../governance/index.js';
import type { Db } from '../database.js';
import {
  ANCHOR_KEY,
  continues,
  readAnchor,
  readSettled,
  SETTLED_KEY,
  writeAnchor,
  writeMark,
  type ChainPoint,
} from '../event-marks.js';
import { CALL_ENDS, cutPage, findEventRows, fromEventRow, toEventRow } from '../event-rows.js';
import type { EventRow } from '../tables.js';

const ROWS_PER_TRIM = 10_000;
/** Any number, as long as every release uses the same. */
const TRIM_LOCK = 4_346_574;

/** Of whoever writes the end of the chain: shared by those who hope to be alone, exclusive for those who wait their turn. */
const APPEND_LOCK = 4_346_575;

/** Several hubs may write. Whoever comes second finds the chain continued and gets `conflict`; then it can wait its turn. */
export function createPostgresEventStore(db: Db): EventStore {
  return {
    append: (records) => append(db, records, sql`pg_try_advisory_xact_lock_shared(${APPEND_LOCK})`),

    appendBehind: (chain) =>
      db.transaction().execute(async (transaction) => {
        // Handed over in the order of asking, so that nobody waits for ever.
        await sql`select pg_advisory_xact_lock(${APPEND_LOCK})`.execute(transaction);
        const last = (await findEnd(transaction)) ?? (await readAnchor(transaction));
        await append(transaction, chain(last), sql`true`);
      }),

    async query({ limit, maxBytes = Infinity, order, ...filter }) {
      const { records, isCut } = await findEventRows(db, filter, order, limit, maxBytes);
      return isCut ? cutPage(records) : records;
    },

    last: () => findLast(db),
    unfinishedCalls: () => findUnfinished(db),
    anchor: () => readAnchor(db),

    async trim(sequence) {
      while (await trimSome(db, sequence));
    },

    async count() {
      const last = await findLast(db);
      return last === undefined ? 0 : last.sequence - (await readAnchor(db)).sequence;
    },
  };
}

/**
 * One statement, so that a group is one round trip. It inserts only if the row before the group is the one the group
 * names; if two hubs pass that test at once, the primary key refuses the second.
 */
async function append(db: Db, records: readonly EventRecord[], allowed: RawBuilder<unknown>): Promise<void> {
  const first = records[0];
  if (first === undefined) return;
  const before: ChainPoint = { sequence: first.sequence - 1, hash: first.previousHash };
  if (!continues(before, records)) throw moved();
  const rows = records.map(toEventRow);
  const column = (name: keyof EventRow) => sql.val(rows.map((row) => row[name]));
  const inserted = await sql`
    insert into events (sequence, at, type, agent, connector, outcome, call_id, tool, payload, previous_hash, hash)
    select * from unnest(
      ${column('sequence')}::bigint[], ${column('at')}::bigint[], ${column('type')}::text[], ${column('agent')}::text[],
      ${column('connector')}::text[], ${column('outcome')}::text[], ${column('call_id')}::text[], ${column('tool')}::text[], ${column('payload')}::text[],
      ${column('previous_hash')}::text[], ${column('hash')}::text[])
    where (${endsAt(before)}) and ${allowed}`.execute(db);
  if (inserted.numAffectedRows !== BigInt(records.length)) throw moved();
}

function endsAt({ sequence, hash }: ChainPoint) {
  const anchored = sql`exists (select 1 from settings where key = ${ANCHOR_KEY} and value = ${writeAnchor({ sequence, hash })})`;
  const kept = sql`exists (select 1 from events where sequence = ${sequence} and hash = ${hash})`;
  if (sequence > 0) return sql<boolean>`${kept} or ${anchored}`;
  return hash === GENESIS_HASH
    ? sql<boolean>`not exists (select 1 from settings where key = ${ANCHOR_KEY})`
    : sql<boolean>`false`;
}

function moved(): HubError {
  return new HubError('conflict', 'the event log does not end where these events continue it');
}

async function findEnd(db: Db): Promise<ChainPoint | undefined> {
  return db
    .selectFrom('events')
    .select(['sequence', 'hash'])
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function findLast(db: Db): Promise<EventRecord | undefined> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : fromEventRow(row);
}

async function findUnfinished(db: Db): Promise<readonly EventRecord[]> {
  const last = (await findLast(db))?.sequence ?? 0;
  const settled = await readSettled(db);
  const rows = await db
    .selectFrom('events as intent')
    .selectAll('intent')
    .where('intent.type', '=', 'call.intended')
    .where('intent.sequence', '>', settled)
    .where('intent.sequence', '<=', last)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('events as outcome')
            .select('outcome.sequence')
            .whereRef('outcome.call_id', '=', 'intent.call_id')
            .where('outcome.type', 'in', CALL_ENDS)
            .whereRef('outcome.sequence', '>', 'intent.sequence'),
        ),
      ),
    )
    .orderBy('intent.sequence')
    .execute();
  const oldest = rows[0]?.sequence;
  const nowSettled = oldest === undefined ? last : oldest - 1;
  if (nowSettled > settled) await writeMark(db, SETTLED_KEY, String(nowSettled));
  return rows.map(fromEventRow);
}

/** Rows and anchor change together, so that the chain holds at every moment. */
function trimSome(db: Db, sequence: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Two hubs that trim at once would otherwise write their anchors in the wrong order.
    await sql`select pg_advisory_xact_lock(${TRIM_LOCK})`.execute(transaction);
    const due = transaction
      .selectFrom('events')
      .select(['sequence', 'hash'])
      .where('sequence', '<=', sequence)
      .orderBy('sequence');
    const batch = transaction.selectFrom(due.limit(ROWS_PER_TRIM).as('due')).select(['sequence', 'hash']);
    const end = await batch.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
    if (end === undefined) return false;
    await writeMark(transaction, ANCHOR_KEY, writeAnchor(end));
    await transaction.deleteFrom('events').where('sequence', '<=', end.sequence).execute();
    return true;
  });
}

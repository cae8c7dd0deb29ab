import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { EventQuery, EventRecord } from '../../governance/index.js';
import type { Db } from '../database.js';
import type { ChainPoint } from '../event-marks.js';
import { MOST_OF_NAME, type EventFilter, type FoundEvents } from '../event-rows.js';
import type { EventBlockRow } from '../tables.js';
import { MOST_OF_BLOCK } from './block-inserts.js';
import { namesOf, wantedNames } from './block-names.js';
import { hashOfLine, parseLine } from './event-lines.js';
import { matches } from './matching-events.js';

/** Read before others get their turn: a millisecond. */
const BLOCKS_PER_TURN = 4;
/** Fewer where events are large; one always is. */
const BYTES_PER_TURN = 1_048_576;

type Block = Pick<
  EventBlockRow,
  'first' | 'last' | 'earliest' | 'latest' | 'previous_hash' | 'names' | 'lines'
>;

/** What a filter finds in blocks. Its range must be given. */
export async function findInBlocks(
  db: Db,
  filter: EventFilter & { readonly after: number; readonly before: number },
  order: EventQuery['order'],
  limit: number,
  maxBytes: number,
): Promise<FoundEvents> {
  const records: EventRecord[] = [];
  let bytes = 0;
  let { after, before } = filter;
  for (;;) {
    const { blocks, isLast } = await blocksWith(db, { ...filter, after, before }, order);
    for (const block of blocks) {
      const inBlock = recordsOf(block, filter);
      for (const { record, length } of order === 'newest' ? inBlock.toReversed() : inBlock) {
        if (records.length === limit) return { records, bytes, isCut: false };
        if (bytes >= maxBytes) return { records, bytes, isCut: true };
        records.push(record);
        bytes += length;
      }
      if (order === 'newest') before = block.first;
      else after = block.last;
    }
    if (isLast || records.length === limit) return { records, bytes, isCut: false };
    await turn();
  }
}

/** The next ones that can be read in one turn. */
async function blocksWith(
  db: Db,
  filter: EventFilter & { readonly after: number; readonly before: number },
  order: EventQuery['order'],
): Promise<{ readonly blocks: readonly Block[]; readonly isLast: boolean }> {
  const { after, before, since, until } = filter;
  let blocks = db
    .selectFrom('event_blocks')
    .select(['first', 'last', 'earliest', 'latest', 'previous_hash', 'names'])
    .select(sql<number>`octet_length(lines)`.as('bytes'))
    .where('last', '>', after)
    // The key is the last number. Without a bound on it, blocks behind would be looked at one by one.
    .where('last', '<', before + MOST_OF_BLOCK)
    .where('first', '<', before);
  if (since !== undefined) blocks = blocks.where('latest', '>=', since);
  if (until !== undefined) blocks = blocks.where('earliest', '<', until);
  for (const wanted of wantedNames(filter)) blocks = blocks.where(sql<boolean>`instr(names, ${wanted}) > 0`);
  const heads = await blocks
    .orderBy('last', order === 'newest' ? 'desc' : 'asc')
    .limit(BLOCKS_PER_TURN)
    .execute();
  if (heads.length === 0) return { blocks: [], isLast: true };
  let bytes = 0;
  const fitting = heads.filter((head, index) => (bytes += head.bytes) <= BYTES_PER_TURN || index === 0);
  const texts = await db
    .selectFrom('event_blocks')
    .select(['last', 'lines'])
    .where(
      'last',
      'in',
      fitting.map(({ last }) => last),
    )
    .execute();
  const linesOf = new Map(texts.map(({ last, lines }) => [last, lines]));
  return {
    blocks: fitting.map((head) => ({ ...head, lines: linesOf.get(head.last) ?? '' })),
    isLast: heads.length < BLOCKS_PER_TURN && fitting.length === heads.length,
  };
}

interface Taken {
  readonly record: EventRecord;
  /** Of its line. */
  readonly length: number;
}

/** Those a filter finds, oldest first. */
function recordsOf(block: Block, filter: EventFilter): readonly Taken[] {
  const { previous_hash, lines } = block;
  const [first = '', ...others] = textsIn(filter);
  const found: Taken[] = [];
  // Looked for in all lines at once: most have nothing of it, and are not even taken out.
  for (let at = lines.indexOf(first); at !== -1;) {
    const start = lines.lastIndexOf('\n', at) + 1;
    const end = endOfLine(lines, at);
    const line = lines.slice(start, end);
    if (others.every((text) => line.includes(text))) {
      const parsed = parseLine(line);
      const previousHash =
        start === 0 ? previous_hash : hashOfLine(lines.slice(lines.lastIndexOf('\n', start - 2) + 1, start));
      if (parsed !== undefined) {
        const { sequence, at: time, actor, event, hash } = parsed;
        const record = { sequence, at: time, actor, event, previousHash: previousHash ?? '', hash };
        if (matches(record, filter))
          found.push({
            record: isFiled(block, record) ? record : { ...record, isMisfiled: true },
            length: line.length,
          });
      }
    }
    at = end + 1 < lines.length ? lines.indexOf(first, end + 1) : -1;
  }
  return found;
}

/** Whether what a block says of itself leads to it. */
function isFiled({ first, last, earliest, latest, names }: Block, record: EventRecord): boolean {
  const { sequence, at } = record;
  return (
    sequence >= first &&
    sequence <= last &&
    at >= earliest &&
    at <= latest &&
    namesOf(record).every((name) => names.includes(name))
  );
}

/** A block that somebody has changed may not end with the end of a line. */
function endOfLine(lines: string, at: number): number {
  const end = lines.indexOf('\n', at);
  return end === -1 ? lines.length : end;
}

/** Nothing in it is written otherwise in JSON. */
const PLAIN = /^[\w./:@ -]*$/;

/** What a line must have in it to be found, as far as that can be told without reading it; what few have first. */
function textsIn({ type, agent, connector, outcome, callId, tool }: EventFilter): readonly string[] {
  return [callId, outcome, tool, agent, connector, type].flatMap((text) =>
    text !== undefined && text.length < MOST_OF_NAME && PLAIN.test(text) ? [`"${text}"`] : [],
  );
}

export async function lastBlock(db: Db): Promise<ChainPoint | undefined> {
  const block = await db
    .selectFrom('event_blocks')
    .select(['last', 'hash'])
    .orderBy('last', 'desc')
    .limit(1)
    .executeTakeFirst();
  return block === undefined ? undefined : { sequence: block.last, hash: block.hash };
}

/** Every event of every block, oldest first. */
export async function* allInBlocks(db: Db): AsyncGenerator<EventRecord> {
  for (let after = 0; ;) {
    const { blocks, isLast } = await blocksWith(db, { after, before: Number.MAX_SAFE_INTEGER }, 'oldest');
    for (const block of blocks) {
      for (const { record } of recordsOf(block, {})) yield record;
      after = block.last;
    }
    if (isLast) return;
  }
}

/** Removes what is in blocks up to a number, and returns the last of it. A block that goes on keeps the rest. */
export async function trimBlocks(transaction: Db, upTo: number): Promise<ChainPoint | undefined> {
  const whole = await transaction
    .selectFrom('event_blocks')
    .select(['last', 'hash'])
    .where('last', '<=', upTo)
    .orderBy('last', 'desc')
    .limit(1)
    .executeTakeFirst();
  await transaction.deleteFrom('event_blocks').where('last', '<=', upTo).execute();
  const cut = await transaction
    .selectFrom('event_blocks')
    .select(['first', 'last', 'lines'])
    .where('first', '<=', upTo)
    .where('last', '>', upTo)
    .where('last', '<', upTo + MOST_OF_BLOCK)
    .executeTakeFirst();
  if (cut === undefined) return whole === undefined ? undefined : { sequence: whole.last, hash: whole.hash };
  const lines = cut.lines.split('\n');
  const removed = lines.filter((line) => Number.parseInt(line, 10) <= upTo);
  const hash = hashOfLine(removed.at(-1) ?? '') ?? '';
  await transaction
    .updateTable('event_blocks')
    .set({ first: upTo + 1, previous_hash: hash, lines: lines.slice(removed.length).join('\n') })
    .where('last', '=', cut.last)
    .execute();
  return { sequence: upTo, hash };
}

import { sql, type SelectQueryBuilder } from 'kysely';
import {
  payloadOf,
  type Actor,
  type EventPage,
  type EventQuery,
  type EventRecord,
  type HubEvent,
} from '../governance/index.js';
import type { Db } from './database.js';
import type { EventRow, Tables } from './tables.js';

export const EVENT_COLUMNS = [
  'sequence',
  'at',
  'type',
  'agent',
  'connector',
  'outcome',
  'call_id',
  'tool',
  'payload',
  'previous_hash',
  'hash',
] as const satisfies readonly (keyof EventRow)[];

/** After these a call that was intended is over. One whose intent nobody could confirm was refused, and may be there all the same. */
export const CALL_ENDS = ['call.finished', 'call.refused'] as const;

type CallEnd = Extract<HubEvent, { readonly type: (typeof CALL_ENDS)[number] }>;

export function endsCall(event: HubEvent): event is CallEnd {
  return event.type === 'call.finished' || event.type === 'call.refused';
}

/** Names come from clients too, and an index takes no value of any length. */
export const MOST_OF_NAME = 256;

/** What the filters ask for. */
export interface FilterColumns {
  readonly type: string;
  readonly agent: string | null;
  readonly connector: string | null;
  readonly outcome: string | null;
  readonly call_id: string | null;
  readonly tool: string | null;
}

export function filterColumnsOf({ actor, event }: Pick<EventRecord, 'actor' | 'event'>): FilterColumns {
  return {
    type: event.type,
    agent: toColumn('agent' in event ? event.agent : actor.kind === 'agent' ? actor.id : undefined),
    connector: toColumn('connector' in event ? event.connector : undefined),
    outcome: 'outcome' in event ? event.outcome : null,
    call_id: toColumn('callId' in event ? event.callId : undefined),
    tool: toColumn('exposedName' in event ? event.exposedName.slice(0, MOST_OF_NAME) : undefined),
  };
}

/** The columns repeat what the filters ask for; the payload alone is read back. */
export function toEventRow(record: EventRecord): EventRow {
  const { sequence, at, previousHash, hash } = record;
  const { type, agent, connector, outcome, call_id, tool } = filterColumnsOf(record);
  const payload = payloadOf(record);
  return {
    sequence,
    at,
    type,
    agent,
    connector,
    outcome,
    call_id,
    tool,
    payload,
    previous_hash: previousHash,
    hash,
  };
}

export function fromEventRow(row: EventRow): EventRecord {
  const { sequence, at, payload, previous_hash, hash } = row;
  const { actor, event } = JSON.parse(payload) as { readonly actor: Actor; readonly event: HubEvent };
  const record = { sequence, at, actor, event, previousHash: previous_hash, hash };
  return isFiled(row, filterColumnsOf(record)) ? record : { ...record, isMisfiled: true };
}

const FILTERS = ['type', 'agent', 'connector', 'outcome', 'call_id', 'tool'] as const;
/** Databases write these otherwise. */
const ODD = /[\0\uFFFD\p{Surrogate}]/u;
const ODD_IN_JSON = /\\u(?:0000|d[89a-f])/i;

function isFiled(row: EventRow, own: FilterColumns): boolean {
  // Rows of before there was this column got it only where the database could read it out of their JSON.
  return FILTERS.every(
    (name) =>
      isSameName(row[name], own[name]) ||
      (name === 'tool' && row.tool === null && ODD_IN_JSON.test(row.payload)),
  );
}

function isSameName(kept: string | null, own: string | null): boolean {
  return kept === own || (kept !== null && own !== null && (own.length >= MOST_OF_NAME || ODD.test(own)));
}

/** An event is kept whatever it names; only finding it by that name may then fail. */
function toColumn(value: string | undefined): string | null {
  if (value === undefined) return null;
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

export type EventFilter = Omit<EventQuery, 'limit' | 'maxBytes' | 'order'>;

/** `after` and `before` are sequence numbers and exclusive; `since` is a time and inclusive, `until` exclusive. */
function whereEvents<Selected>(
  events: SelectQueryBuilder<Tables, 'events', Selected>,
  { agent, connector, type, outcome, callId, tool, after, before, since, until }: EventFilter,
): SelectQueryBuilder<Tables, 'events', Selected> {
  let found = events;
  if (after !== undefined) found = found.where('sequence', '>', after);
  if (before !== undefined) found = found.where('sequence', '<', before);
  if (since !== undefined) found = found.where('at', '>=', since);
  if (until !== undefined) found = found.where('at', '<', until);
  if (type !== undefined) found = found.where('type', '=', type);
  if (agent !== undefined) found = found.where('agent', '=', agent);
  if (connector !== undefined) found = found.where('connector', '=', connector);
  if (outcome !== undefined) found = found.where('outcome', '=', outcome);
  if (callId !== undefined) found = found.where('call_id', '=', callId);
  if (tool !== undefined) found = found.where('tool', '=', tool);
  return found;
}

/** What was found within the bounds of a query. */
export interface FoundEvents {
  readonly records: readonly EventRecord[];
  readonly bytes: number;
  /** There are more, which would have been too many bytes. */
  readonly isCut: boolean;
}

/**
 * The inner query reads nothing but a narrow index; rows are fetched only for what it found. How long they are is asked
 * first, which reads none of it, so that only those are fetched that fit, and the first whatever it takes.
 */
export async function findEventRows(
  db: Db,
  filter: EventFilter,
  order: EventQuery['order'],
  limit: number,
  maxBytes: number,
): Promise<FoundEvents> {
  const direction = order === 'newest' ? 'desc' : 'asc';
  const found = (count: number) =>
    db
      .selectFrom('events')
      .where(
        'sequence',
        'in',
        whereEvents(db.selectFrom('events').select('sequence'), filter)
          .orderBy('sequence', direction)
          .limit(count),
      )
      .orderBy('sequence', direction);
  const { count, bytes, isCut } =
    maxBytes === Infinity
      ? { count: limit, bytes: 0, isCut: false }
      : fitting(
          await found(limit)
            .select(sql<number>`octet_length(payload)`.as('bytes'))
            .execute(),
          maxBytes,
        );
  if (count === 0) return { records: [], bytes, isCut };
  const rows = await found(count).selectAll().execute();
  return { records: rows.map(fromEventRow), bytes, isCut };
}

function fitting(
  sizes: readonly { readonly bytes: number }[],
  maxBytes: number,
): { readonly count: number; readonly bytes: number; readonly isCut: boolean } {
  let bytes = 0;
  let count = 0;
  for (const size of sizes) {
    if (bytes >= maxBytes) break;
    bytes += size.bytes;
    count++;
  }
  return { count, bytes, isCut: count < sizes.length };
}

export function cutPage(records: readonly EventRecord[]): EventPage {
  return Object.assign([...records], { isCut: true } as const);
}

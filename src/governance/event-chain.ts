import { hash as digest } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { textOfActor, textOfEvent } from './event-text.js';
import {
  BYTES_PER_PAGE,
  type Actor,
  type EventReader,
  type EventRecord,
  type EventStore,
  type HubEvent,
  type NewEvent,
} from './events.js';

/** What the first event of a log names as its predecessor. */
export const GENESIS_HASH = '0'.repeat(64);

/** The next record of a chain. Its hash covers its content and, through its predecessor, everything before it. */
export function chainEvent(
  previous: { readonly sequence: number; readonly hash: string },
  at: number,
  actor: Actor,
  event: HubEvent,
): EventRecord {
  return new ChainedEvent(previous, at, actor, event);
}

/** The records by which these continue a chain. */
export function chainEvents(
  end: { readonly sequence: number; readonly hash: string },
  events: readonly NewEvent[],
): readonly EventRecord[] {
  let last = end;
  return events.map(({ at, actor, event }) => {
    const record = chainEvent(last, at, actor, event);
    last = record;
    return record;
  });
}

/** What is kept of a record besides its columns: actor and event as JSON. */
export function payloadOf(record: EventRecord): string {
  return record instanceof ChainedEvent
    ? record.payload()
    : toPayload(JSON.stringify(record.actor), JSON.stringify(record.event));
}

/** A record just made, with the text that it was hashed as: it is about to be written. */
class ChainedEvent implements EventRecord {
  readonly sequence: number;
  readonly at: number;
  readonly actor: Actor;
  readonly event: HubEvent;
  readonly previousHash: string;
  readonly hash: string;
  /** Written to the journal and then to a row: the same text, so that it is put together once. */
  readonly #payload: string;

  constructor(
    previous: { readonly sequence: number; readonly hash: string },
    at: number,
    actor: Actor,
    event: HubEvent,
  ) {
    this.sequence = previous.sequence + 1;
    this.at = at;
    this.actor = actor;
    this.event = event;
    this.previousHash = previous.hash;
    const actorText = textOfActor(actor);
    const eventText = textOfEvent(event);
    const whole = toHashed(this.sequence, at, actorText, eventText, previous.hash);
    this.hash = hashOf(whole);
    // Hashing has made one piece of it. Of that these are parts; the many small ones that it was made of need not be kept.
    const end = whole.length - 1;
    const middle = end - eventText.length;
    this.#payload = toPayload(
      whole.slice(middle - 1 - actorText.length, middle - 1),
      whole.slice(middle, end),
    );
  }

  payload(): string {
    return this.#payload;
  }
}

function toPayload(actor: string, event: string): string {
  return `{"actor":${actor},"event":${event}}`;
}

/** The JSON array of all five. */
function toHashed(sequence: number, at: number, actor: string, event: string, previousHash: string): string {
  return `["${previousHash}",${sequence},${at},${actor},${event}]`;
}

function hashOf(text: string): string {
  return digest('sha256', text, 'hex');
}

export type ChainVerdict =
  | {
      readonly ok: true;
      readonly events: number;
      /** The number of the first event that is kept, or would be: whatever was before is not vouched for. */
      readonly first: number;
      readonly head: string;
    }
  | { readonly ok: false; readonly sequence: number; readonly problem: 'missing' | 'altered' };

const PAGE = 1_000;

/**
 * Walks the whole log. A changed row fails its own hash; a removed or inserted one breaks the link after it. What a store
 * keeps besides, to find events by, is in no hash, and must say the same as the event.
 */
export async function verifyChain(store: EventReader & Pick<EventStore, 'anchor'>): Promise<ChainVerdict> {
  const anchor = await store.anchor();
  let { sequence, hash } = anchor;
  let events = 0;
  for (;;) {
    const page = await store.query({
      after: sequence,
      limit: PAGE,
      maxBytes: BYTES_PER_PAGE,
      order: 'oldest',
    });
    if (page.length === 0) return { ok: true, events, first: anchor.sequence + 1, head: hash };
    for (const record of page) {
      if (record.sequence !== sequence + 1) return { ok: false, sequence: sequence + 1, problem: 'missing' };
      if (record.previousHash !== hash || record.hash !== expectedHash(record) || record.isMisfiled === true)
        return { ok: false, sequence: record.sequence, problem: 'altered' };
      ({ sequence, hash } = record);
      events++;
    }
    // A store may answer without waiting for anything.
    await turn();
  }
}

function expectedHash({ sequence, at, actor, event, previousHash }: EventRecord): string {
  return hashOf(toHashed(sequence, at, JSON.stringify(actor), JSON.stringify(event), previousHash));
}

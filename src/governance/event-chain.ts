import { hash as digest } from 'node:crypto';
import type { Actor, EventReader, EventRecord, EventStore, HubEvent } from './events.js';

/** What the first event of a log names as its predecessor. */
export const GENESIS_HASH = '0'.repeat(64);

/** The next record of a chain. Its hash covers its content and, through its predecessor, everything before it. */
export function chainEvent(
  previous: { readonly sequence: number; readonly hash: string },
  at: number,
  actor: Actor,
  event: HubEvent,
): EventRecord {
  const sequence = previous.sequence + 1;
  return {
    sequence,
    at,
    actor,
    event,
    previousHash: previous.hash,
    hash: hashRecord(sequence, at, actor, event, previous.hash),
  };
}

function hashRecord(
  sequence: number,
  at: number,
  actor: Actor,
  event: HubEvent,
  previousHash: string,
): string {
  return digest('sha256', JSON.stringify([previousHash, sequence, at, actor, event]), 'hex');
}

export type ChainVerdict =
  | { readonly ok: true; readonly events: number; readonly head: string }
  | { readonly ok: false; readonly sequence: number; readonly problem: 'missing' | 'altered' };

const PAGE = 1_000;

/** Walks the whole log. A changed row fails its own hash; a removed or inserted one breaks the link after it. */
export async function verifyChain(store: EventReader & Pick<EventStore, 'anchor'>): Promise<ChainVerdict> {
  const anchor = await store.anchor();
  let { sequence, hash } = anchor;
  let events = 0;
  for (;;) {
    const page = await store.query({ after: sequence, limit: PAGE, order: 'oldest' });
    if (page.length === 0) return { ok: true, events, head: hash };
    for (const record of page) {
      if (record.sequence !== sequence + 1) return { ok: false, sequence: sequence + 1, problem: 'missing' };
      const expected = hashRecord(
        record.sequence,
        record.at,
        record.actor,
        record.event,
        record.previousHash,
      );
      if (record.previousHash !== hash || record.hash !== expected)
        return { ok: false, sequence: record.sequence, problem: 'altered' };
      ({ sequence, hash } = record);
      events++;
    }
  }
}

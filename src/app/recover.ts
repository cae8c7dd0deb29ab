import type { EventLog, EventRecord } from '../governance/index.js';
import type { Clock } from '../kernel/index.js';
import { findTaker } from '../operations/index.js';
import type { Storage } from '../storage/index.js';
import type { Hub } from './compose.js';
import { GONE_MS } from './instance.js';

const LOCK = { leaseMs: 30_000, waitMs: 10_000 };

/**
 * Calls that were under way when a process of the hub ended without finishing them: nobody knows what became of them, and
 * the log says so. Those of processes that still live are left alone. One process does it at a time.
 */
export async function recoverUnfinishedCalls(hub: Hub): Promise<number> {
  // Whoever runs the workers sees each of them end.
  if (hub.coordination.kind === 'workers') return 0;
  const lock = await hub.coordination.locks.acquire('recovery', LOCK);
  if (lock === undefined) return 0;
  try {
    if (hub.storage.kind === 'sqlite') await forgetTheGone(hub.storage, await findLiving(hub));
    return await closeUnfinishedCalls(hub, () => findLiving(hub));
  } finally {
    await lock.release();
  }
}

export interface RecoveryParts {
  readonly storage: Pick<Storage, 'events' | 'tasks' | 'tickets'>;
  readonly events: EventLog;
  readonly clock: Clock;
}

/** Those of processes that are not among the living. Returns how many there were. */
export async function closeUnfinishedCalls(
  { storage, events, clock }: RecoveryParts,
  lookForLiving: () => Promise<ReadonlySet<string>>,
): Promise<number> {
  const unfinished = await storage.events.unfinishedCalls();
  if (unfinished.length === 0) return 0;
  // Asked only now: one that has begun since then made none of these.
  const living = await lookForLiving();
  await events.flush();
  // What became a task goes on at its upstream, and ends when that is learnt.
  const asTasks = new Set<string>(await storage.tasks.openCalls());
  let given = 0;
  for (const { actor, event, at } of await findStillUnfinished(storage.events, unfinished)) {
    if (event.type !== 'call.intended') continue;
    const { callId, connector, target, exposedName, method, instance } = event;
    if (living.has(instance ?? '') || asTasks.has(callId)) continue;
    if (living.has((await findTaker(storage.tickets, callId)) ?? '')) continue;
    given++;
    events.append(actor, {
      type: 'call.finished',
      callId,
      connector,
      target,
      exposedName,
      method,
      outcome: 'outcome_unknown',
      durationMs: Math.max(0, clock.now() - at),
    });
  }
  if (given > 0) events.append({ kind: 'hub' }, { type: 'hub.recovered', unfinishedCalls: given });
  await events.flush();
  return given;
}

/** Whoever ended since they were looked for may have written down how they ended before that. */
async function findStillUnfinished(
  store: RecoveryParts['storage']['events'],
  before: readonly EventRecord[],
): Promise<readonly EventRecord[]> {
  const known = new Set(before.map(({ sequence }) => sequence));
  return (await store.unfinishedCalls()).filter(({ sequence }) => known.has(sequence));
}

/**
 * Whoever waits for what another process does finds at once that it is gone, and not when its signs of life are old. Only
 * for those who know better than these who lives.
 */
export async function forgetTheGone(
  { instances }: Pick<Storage, 'instances'>,
  living: ReadonlySet<string>,
): Promise<void> {
  for (const id of await instances.living(GONE_MS)) if (!living.has(id)) await instances.leave(id);
}

/** A SQLite store has one hub at a time, so whoever was there before is gone. */
async function findLiving({ storage, instance }: Hub): Promise<ReadonlySet<string>> {
  if (storage.kind === 'sqlite') return new Set([instance.id]);
  return new Set([...(await storage.instances.living(GONE_MS)), instance.id]);
}

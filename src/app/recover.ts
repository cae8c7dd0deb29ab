import type { EventRecord } from '../governance/index.js';
import type { Hub } from './compose.js';
import { GONE_MS } from './instance.js';

const LOCK = { leaseMs: 30_000, waitMs: 10_000 };

/**
 * Calls that were under way when a process of the hub ended without finishing them: nobody knows what became of them, and
 * the log says so. Those of processes that still live are left alone. One process does it at a time.
 */
export async function recoverUnfinishedCalls(hub: Hub): Promise<number> {
  const lock = await hub.coordination.locks.acquire('recovery', LOCK);
  if (lock === undefined) return 0;
  try {
    return await recover(hub);
  } finally {
    await lock.release();
  }
}

async function recover(hub: Hub): Promise<number> {
  const unfinished = await hub.storage.events.unfinishedCalls();
  if (unfinished.length === 0) return 0;
  const living = await findLiving(hub);
  // What became a task goes on at its upstream, and ends when that is learnt.
  const asTasks = new Set<string>(await hub.storage.tasks.openCalls());
  const given = unfinished.filter(
    (record) => !living.has(instanceOf(record) ?? '') && !asTasks.has(callOf(record) ?? ''),
  );
  for (const { actor, event, at } of given) {
    if (event.type !== 'call.intended') continue;
    const { callId, connector, target, exposedName, method } = event;
    hub.events.append(actor, {
      type: 'call.finished',
      callId,
      connector,
      target,
      exposedName,
      method,
      outcome: 'outcome_unknown',
      durationMs: Math.max(0, hub.clock.now() - at),
    });
  }
  if (given.length > 0)
    hub.events.append({ kind: 'hub' }, { type: 'hub.recovered', unfinishedCalls: given.length });
  await hub.events.flush();
  return given.length;
}

/** A SQLite store has one hub at a time, so whoever was there before is gone. */
async function findLiving({ storage, instance }: Hub): Promise<ReadonlySet<string>> {
  if (storage.kind === 'sqlite') return new Set([instance.id]);
  return new Set([...(await storage.instances.living(GONE_MS)), instance.id]);
}

function callOf({ event }: EventRecord): string | undefined {
  return event.type === 'call.intended' ? event.callId : undefined;
}

function instanceOf({ event }: EventRecord): string | undefined {
  return event.type === 'call.intended' ? event.instance : undefined;
}

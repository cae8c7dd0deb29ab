import type { Hub } from './compose.js';

/** Calls that were under way when the hub last ended: nobody knows what became of them, and the log says so. */
export async function recoverUnfinishedCalls(hub: Hub): Promise<number> {
  const unfinished = await hub.storage.events.unfinishedCalls();
  for (const { actor, event, at } of unfinished) {
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
  if (unfinished.length > 0)
    hub.events.append({ kind: 'hub' }, { type: 'hub.recovered', unfinishedCalls: unfinished.length });
  await hub.events.flush();
  return unfinished.length;
}

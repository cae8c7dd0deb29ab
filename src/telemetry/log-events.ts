import type { EventRecord } from '../governance/index.js';
import type { Logger } from '../kernel/index.js';

/** What ties a line to an answer, an event or a trace. Everything else about an event is in the event log. */
const TIES = ['callId', 'connector', 'method', 'outcome', 'error', 'trace'] as const;

/**
 * A line for each event that was kept, for whoever reads lines rather than events; or only for those that tell of a failure
 * inside the hub.
 */
export function logEvents(logger: Logger, which: 'all' | 'internal'): (record: EventRecord) => void {
  return ({ sequence, actor, event }) => {
    const isInternal = 'error' in event && event.error === 'internal';
    if (which === 'internal' && !isInternal) return;
    const known = event as unknown as Readonly<Record<string, unknown>>;
    const ties = TIES.filter((name) => typeof known[name] === 'string');
    const line = {
      event: event.type,
      sequence,
      ...(actor.kind === 'admin' && actor.request !== undefined && { request: actor.request }),
      ...Object.fromEntries(ties.map((name) => [name, known[name]])),
    };
    if (isInternal) logger.warn(line, 'a call failed inside the hub');
    else logger.debug(line, 'event');
  };
}

import { ADMIN_ROUTES, DEFAULT_PAGE, type EventFilters } from '../../contract/index.js';
import { BYTES_PER_PAGE, type EventQuery } from '../../governance/index.js';
import { HubError, toAgentId, toCallId, toConnectorId } from '../../kernel/index.js';
import type { AdminDependencies } from './dependencies.js';
import { createEventExports } from './event-exports.js';
import { createEventStreams } from './event-streams.js';
import { readCursor, writeCursor } from './list-page.js';
import type { Register } from './register.js';
import { toEventView } from './views/event-view.js';

const ROUTES = ADMIN_ROUTES.events;
const LIST = 'events';

export function registerEventRoutes(register: Register, deps: AdminDependencies): void {
  const streams = createEventStreams(deps);
  const exports = createEventExports(deps);

  register(ROUTES.list, async ({ query: { limit = DEFAULT_PAGE, cursor, ...filters } }) => {
    const position = cursor === undefined ? {} : { before: sequenceOf(readCursor(LIST, cursor)) };
    // Whoever changed something finds it here at once.
    await deps.events.flush();
    // One more than asked for tells whether there are more.
    const found = await deps.eventStore.query({
      ...toFilter(filters),
      ...position,
      limit: limit + 1,
      maxBytes: BYTES_PER_PAGE,
      order: 'newest',
    });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const more =
      (found.length > limit || found.isCut === true) && last !== undefined
        ? { nextCursor: writeCursor(LIST, String(last.sequence)) }
        : {};
    return { body: { items: items.map(toEventView), ...more } };
  });
  register(ROUTES.stream, async ({ query, lastEventId, isHead, ...reader }) => {
    const after = lastEventId === undefined ? undefined : sequenceOf(lastEventId);
    if (isHead) return { body: undefined };
    return { body: undefined, stream: await streams.open(toFilter(query), after, reader) };
  });
  register(ROUTES.export, async ({ by, query, isHead, signal }) => {
    if (isHead) return { body: undefined };
    return { body: undefined, ...(await exports.open({ by, query, filter: toFilter(query), signal })) };
  });
  register(ROUTES.verify, async () => ({ body: await deps.operations.verifyEvents() }));
}

function toFilter({
  agent,
  connector,
  type,
  outcome,
  callId,
  tool,
  since,
  until,
}: EventFilters): Omit<EventQuery, 'limit' | 'order'> {
  return {
    ...(agent !== undefined && { agent: toAgentId(agent) }),
    ...(connector !== undefined && { connector: toConnectorId(connector) }),
    ...(type !== undefined && { type }),
    ...(outcome !== undefined && { outcome }),
    ...(callId !== undefined && { callId: toCallId(callId) }),
    ...(tool !== undefined && { tool }),
    ...(since !== undefined && { since: toMilliseconds(since) }),
    ...(until !== undefined && { until: toMilliseconds(until) }),
  };
}

function toMilliseconds(moment: string): number {
  return /^\d+$/.test(moment) ? Number(moment) : Date.parse(moment);
}

function sequenceOf(text: string): number {
  const sequence = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (sequence === undefined)
    throw new HubError('invalid_cursor', 'the place in the log is not a sequence number');
  return sequence;
}

import type { EventQuery, EventRecord, HubEvent } from '../../src/governance/index.js';
import type { TestHub } from './start-hub.js';

/** What the hub has recorded, oldest first. */
export async function recordsOf(
  hub: TestHub,
  query: Partial<EventQuery> = {},
): Promise<readonly EventRecord[]> {
  const { events, storage } = hub.running.hub;
  await events.flush();
  return storage.events.query({ limit: 10_000, order: 'oldest', ...query });
}

export async function eventsOf<Type extends HubEvent['type']>(
  hub: TestHub,
  type: Type,
): Promise<readonly Extract<HubEvent, { type: Type }>[]> {
  const records = await recordsOf(hub, { type });
  return records.map(({ event }) => event as Extract<HubEvent, { type: Type }>);
}

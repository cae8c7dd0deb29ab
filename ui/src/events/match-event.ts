import type { EventSearch, EventView } from '../api/events.js';

/** Whether an event of the stream belongs to what is searched for; the hub decides the same for those of the log. */
export function matches(event: EventView, search: EventSearch): boolean {
  const { agent, connector, tool, type, outcome, since, until } = search;
  const at = Date.parse(event.at);
  return (
    (agent === undefined ||
      event['agent'] === agent ||
      (event.actor.kind === 'agent' && event.actor['id'] === agent)) &&
    (connector === undefined || event['connector'] === connector) &&
    (tool === undefined || event['exposedName'] === tool) &&
    (type === undefined || event.type === type) &&
    (outcome === undefined || event['outcome'] === outcome) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at < Date.parse(until))
  );
}

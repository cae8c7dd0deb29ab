import type { EventView } from '../api/events.js';
import { JsonCode } from '../shared/code.js';
import { EventLine } from '../shared/event-line.js';

/** One event, with all of it on demand. */
export function EventRow({ event }: { readonly event: EventView }) {
  return (
    <div className="px-4 py-2">
      <EventLine event={event} withDate />
      <details>
        <summary className="w-fit text-sm text-muted">
          {event.type} <span className="sr-only">number {event.sequence}, details</span>
        </summary>
        <div className="mt-2">
          <JsonCode value={event} label={`Event ${event.sequence}`} tall />
        </div>
      </details>
    </div>
  );
}

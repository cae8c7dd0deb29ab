import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { eventPages, type EventSearch, type EventView } from '../api/events.js';
import { useLiveEvents } from '../api/use-live.js';
import { ButtonLink } from '../shared/button.js';
import { CheckField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading, Page } from '../shared/page.js';
import { VirtualRows } from '../shared/virtual-rows.js';
import { EventActions } from './event-actions.js';
import { EventFilters } from './event-filters.js';
import { EventRow } from './event-row.js';
import { matches } from './match-event.js';

const route = getRouteApi('/events');
/** So many new ones are kept above the list; more are fetched from the hub anyway when the filters change. */
const MOST_LIVE = 1_000;

export function EventsPage() {
  const search = route.useSearch();
  const [follow, setFollow] = useState(true);
  return (
    <Page
      title="Events"
      lead="Everything that happened, in a log that cannot be changed unseen."
      actions={<EventActions search={search} />}
    >
      <EventFilters search={search}>
        <CheckField label="Show new ones live" checked={follow} onCheck={setFollow} />
      </EventFilters>
      <EventList key={JSON.stringify(search)} search={search} follow={follow} />
    </Page>
  );
}

function EventList({ search, follow }: { readonly search: EventSearch; readonly follow: boolean }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...eventPages(search),
    // What happens from now on comes by the stream; what was shown before may be long ago.
    staleTime: 0,
    placeholderData: undefined,
  });
  const [live, setLive] = useState<readonly EventView[]>([]);
  const hear = useCallback(
    (event: EventView) => {
      if (matches(event, search)) setLive((before) => [event, ...before].slice(0, MOST_LIVE));
    },
    [search],
  );
  useLiveEvents(hear);
  const kept = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const events = useMemo(() => merge(follow ? live : [], kept ?? []), [follow, live, kept]);
  if (kept === undefined) return error === null ? <Loading what="events" /> : <ProblemNotice error={error} />;
  return (
    <>
      {error !== null && <ProblemNotice error={error} />}
      {events.length === 0 ? (
        <EmptyState
          title="No event matches"
          {...(Object.keys(search).length > 0 && {
            action: <ButtonLink to="/events">Show all events</ButtonLink>,
          })}
        >
          Calls, changes and syncs appear here as they happen.
        </EmptyState>
      ) : (
        <VirtualRows
          label="Events, newest first"
          items={events}
          keyOf={({ sequence }) => sequence}
          rowHeight={41}
          render={(event) => <EventRow event={event} />}
          more={{
            has: hasNextPage && error === null,
            busy: isFetchingNextPage,
            fetch: () => void fetchNextPage(),
          }}
        />
      )}
    </>
  );
}

/** Newest first, each once. */
function merge(live: readonly EventView[], kept: readonly EventView[]): readonly EventView[] {
  const newest = kept[0]?.sequence ?? 0;
  return [...live.filter(({ sequence }) => sequence > newest), ...kept];
}

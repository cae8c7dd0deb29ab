import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ROUTES, type CALL_OUTCOMES } from './contract.js';
import type { EventView } from '../../../src/contract/index.js';
import { ask } from './request.js';

export { CALL_OUTCOMES, EVENT_TYPES } from './contract.js';
export type { EventView } from '../../../src/contract/index.js';

const routes = ROUTES.events;

/** As they stand in the address of the page. */
export interface EventSearch {
  readonly agent?: string;
  readonly connector?: string;
  readonly type?: EventView['type'];
  readonly outcome?: (typeof CALL_OUTCOMES)[number];
  readonly since?: string;
  readonly until?: string;
}

export const eventPages = (filters: EventSearch) =>
  infiniteQueryOptions({
    queryKey: ['events', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      ask(routes.list, {
        query: { ...filters, limit: 100, ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

/** The latest of a kind. */
export const recentEvents = (filters: EventSearch, limit = 20) =>
  queryOptions({
    queryKey: ['events', 'recent', filters, limit],
    queryFn: async ({ signal }) => (await ask(routes.list, { query: { ...filters, limit }, signal })).items,
  });

/** Everything one call left behind, in the order in which it happened. */
export const callStory = (callId: string) =>
  queryOptions({
    queryKey: ['events', 'call', callId],
    queryFn: async ({ signal }) =>
      (await ask(routes.list, { query: { callId, limit: 200 }, signal })).items.toReversed(),
  });

export function verifyEvents() {
  return ask(routes.verify, {});
}

const MOST_EXPORTED = 10_000;

/** What matches, as one JSON document to a line, newest first. */
export async function exportEvents(
  filters: EventSearch,
): Promise<{ readonly text: string; readonly count: number; readonly cut: boolean }> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await ask(routes.list, {
      query: { ...filters, limit: 200, ...(cursor !== undefined && { cursor }) },
    });
    lines.push(...items.map((item) => JSON.stringify(item)));
    cursor = nextCursor;
  } while (cursor !== undefined && lines.length < MOST_EXPORTED);
  return { text: `${lines.join('\n')}\n`, count: lines.length, cut: cursor !== undefined };
}

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ROUTES, type CALL_OUTCOMES } from './contract.js';
import type { EventView } from '../../../src/contract/index.js';
import { addressOf, ask } from './request.js';

export { CALL_OUTCOMES, EVENT_TYPES } from './contract.js';
export type { EventView } from '../../../src/contract/index.js';

const routes = ROUTES.events;

/** As they stand in the address of the page. */
export interface EventSearch {
  readonly agent?: string;
  readonly connector?: string;
  /** By the name it is offered under. */
  readonly tool?: string;
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

/** A file of everything that matches, oldest first. The browser saves it as it comes, however long it is. */
export function exportAddress(filters: EventSearch): string {
  return addressOf(routes.export.path, {}, filters);
}

import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './request.js';

const RETRIES = 2;

/** What was fetched stays good until an event says otherwise: nothing asks again by itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        refetchOnWindowFocus: false,
        retry: (count, error) =>
          count < RETRIES && error instanceof ApiError && (error.status === 0 || error.status === 503),
      },
      mutations: { retry: false },
    },
  });
}

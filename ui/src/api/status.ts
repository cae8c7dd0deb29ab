import { queryOptions } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { ask } from './request.js';

export type { StatisticsView, StatusView } from '../../../src/contract/index.js';

export const hubStatus = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => ask(ROUTES.status.get, { signal }),
});

export const callStatistics = queryOptions({
  queryKey: ['statistics'],
  queryFn: ({ signal }) => ask(ROUTES.statistics.get, { signal }),
});

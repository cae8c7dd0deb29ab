import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { ask } from './request.js';

const MOST = 12;

/** Names of tools on offer that have these words in them. */
export const toolNames = (words: string) =>
  queryOptions({
    queryKey: ['tools', 'names', words],
    queryFn: async ({ signal }) =>
      (await ask(ROUTES.tools.list, { query: { q: words, limit: MOST }, signal })).items.map(
        ({ name }) => name,
      ),
    enabled: words !== '',
    placeholderData: keepPreviousData,
  });

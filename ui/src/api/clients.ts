import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { allPages } from './all-pages.js';
import { ROUTES } from './contract.js';
import { ask } from './request.js';

const routes = ROUTES.clients;

export const clientList = queryOptions({
  queryKey: ['clients'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.list, { query, signal })),
});

export function useClientWrites() {
  const client = useQueryClient();
  return {
    revoke: useMutation({
      onSettled: () => client.invalidateQueries({ queryKey: ['clients'] }),
      mutationFn: (id: string) => ask(routes.revoke, { names: { id } }),
    }),
  };
}

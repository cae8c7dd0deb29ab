import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AdminAddition } from '../../../src/contract/index.js';
import { allPages } from './all-pages.js';
import { ROUTES } from './contract.js';
import { ask } from './request.js';

export type { AdminRole, AdminView } from '../../../src/contract/index.js';

const routes = ROUTES.admins;

export const adminList = queryOptions({
  queryKey: ['admins'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.list, { query, signal })),
});

export function useAdminWrites() {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: ['admins'] });
  return {
    // What it answers is shown once and not kept: `gcTime` 0 forgets it with the page.
    add: useMutation({
      onSettled,
      gcTime: 0,
      mutationFn: (body: AdminAddition) => ask(routes.add, { body }),
    }),
    remove: useMutation({ onSettled, mutationFn: (id: string) => ask(routes.remove, { names: { id } }) }),
  };
}

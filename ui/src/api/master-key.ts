import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { ask } from './request.js';

const routes = ROUTES.masterKey;

export const masterKey = queryOptions({
  queryKey: ['master-key'],
  queryFn: ({ signal }) => ask(routes.get, { signal }),
});

export function useMasterKeyWrites() {
  const client = useQueryClient();
  return {
    rotate: useMutation({
      onSettled: () => client.invalidateQueries({ queryKey: ['master-key'] }),
      mutationFn: () => ask(routes.rotate, {}),
    }),
  };
}

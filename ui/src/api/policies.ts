import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { allPages } from './all-pages.js';
import { ask, askWithTag } from './request.js';

export type { PolicyExplanation, PolicyView } from '../../../src/contract/index.js';

const routes = ROUTES.policies;

export const policyList = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.list, { query, signal })),
});

export const policyDetail = (id: string) =>
  queryOptions({
    queryKey: ['policies', id],
    queryFn: ({ signal }) => askWithTag(routes.get, { names: { id }, signal }),
  });

export interface PolicyQuestion {
  readonly agent: string;
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export function explainPolicy(body: PolicyQuestion) {
  return ask(routes.explain, { body });
}

export function usePolicyWrites() {
  const client = useQueryClient();
  const onSettled = () =>
    Promise.all(['policies', 'tools', 'status'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  return {
    add: useMutation({
      onSettled,
      mutationFn: (body: { id: string; text: string }) => ask(routes.add, { body }),
    }),
    save: useMutation({
      onSettled,
      mutationFn: ({ id, text, tag }: { id: string; text: string; tag?: string | undefined }) =>
        ask(routes.save, { names: { id }, body: { text }, ...(tag !== undefined && { ifMatch: tag }) }),
    }),
    remove: useMutation({ onSettled, mutationFn: (id: string) => ask(routes.remove, { names: { id } }) }),
  };
}

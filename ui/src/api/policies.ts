import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { allPages } from './all-pages.js';
import { ask, askWithTag } from './request.js';

export type {
  PolicyCheck,
  PolicyExplanation,
  PolicyVersionView,
  PolicyView,
} from '../../../src/contract/index.js';

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

/** Not among the answers that events touch: what is wrong with a text depends on the text alone. */
export const policyCheck = (text: string) =>
  queryOptions({
    queryKey: ['policy-check', text],
    queryFn: ({ signal }) => ask(routes.check, { body: { text }, signal }),
    gcTime: 10_000,
  });

export const policySchema = queryOptions({
  queryKey: ['policy-schema'],
  queryFn: async ({ signal }) => (await ask(routes.schema, { signal })).schema,
});

export const policyVersions = (id: string) =>
  queryOptions({
    queryKey: ['policies', id, 'versions'],
    queryFn: async ({ signal }) =>
      (await ask(routes.versions, { names: { id }, query: { limit: 100 }, signal })).items,
  });

/** What it said; undefined where it was removed. Versions do not change. */
export const policyVersion = (id: string, version: number) =>
  queryOptions({
    queryKey: ['policy-version', id, version],
    queryFn: async ({ signal }) =>
      (await ask(routes.version, { names: { id, version: String(version) }, signal })).text ?? '',
  });

export const removedPolicies = queryOptions({
  queryKey: ['policies', 'removed', 'list'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.removed, { query, signal })),
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
    restore: useMutation({
      onSettled,
      mutationFn: ({ id, version, tag }: { id: string; version: number; tag?: string | undefined }) =>
        ask(routes.restore, {
          names: { id, version: String(version) },
          ...(tag !== undefined && { ifMatch: tag }),
        }),
    }),
    remove: useMutation({ onSettled, mutationFn: (id: string) => ask(routes.remove, { names: { id } }) }),
  };
}

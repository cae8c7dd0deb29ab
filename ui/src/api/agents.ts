import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import type { AgentAddition, AgentPatch } from '../../../src/contract/index.js';
import { allPages } from './all-pages.js';
import { ask, askWithTag } from './request.js';

export type { AgentDetail, AgentKeyView, AgentView } from '../../../src/contract/index.js';

const routes = ROUTES.agents;

export const agentList = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.list, { query, signal })),
});

export const agentDetail = (id: string) =>
  queryOptions({
    queryKey: ['agents', id],
    queryFn: ({ signal }) => askWithTag(routes.get, { names: { id }, signal }),
  });

export function useAgentWrites() {
  const client = useQueryClient();
  const onSettled = () =>
    Promise.all(['agents', 'status', 'tools'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  return {
    add: useMutation({ onSettled, mutationFn: (body: AgentAddition) => ask(routes.add, { body }) }),
    change: useMutation({
      onSettled,
      mutationFn: ({ id, patch, tag }: { id: string; patch: AgentPatch; tag?: string | undefined }) =>
        ask(routes.change, { names: { id }, body: patch, ...(tag !== undefined && { ifMatch: tag }) }),
    }),
    remove: useMutation({ onSettled, mutationFn: (id: string) => ask(routes.remove, { names: { id } }) }),
    // What it answers is shown once and not kept: `gcTime` 0 forgets it with the page.
    addKey: useMutation({
      onSettled,
      gcTime: 0,
      mutationFn: ({ id, expiresAt }: { id: string; expiresAt?: string }) =>
        ask(routes.addKey, { names: { id }, body: expiresAt === undefined ? {} : { expiresAt } }),
    }),
    revokeKey: useMutation({
      onSettled,
      mutationFn: ({ id, keyId }: { id: string; keyId: string }) =>
        ask(routes.revokeKey, { names: { id, keyId } }),
    }),
  };
}

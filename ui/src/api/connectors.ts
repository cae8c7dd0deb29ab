import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import type {
  CheckStep,
  ConnectorAddition,
  ConnectorPatch,
  CredentialInput,
} from '../../../src/contract/index.js';
import { allPages } from './all-pages.js';
import { ask, askLines, askWithTag } from './request.js';

export type {
  CheckAnswer,
  ConnectorDetail,
  ConnectorView,
  CredentialView,
  SyncAnswer,
} from '../../../src/contract/index.js';

const routes = ROUTES.connectors;

export const connectorList = queryOptions({
  queryKey: ['connectors'],
  queryFn: ({ signal }) => allPages((query) => ask(routes.list, { query, signal })),
});

export const connectorDetail = (id: string) =>
  queryOptions({
    queryKey: ['connectors', id],
    queryFn: ({ signal }) => askWithTag(routes.get, { names: { id }, signal }),
  });

export const connectorTools = (id: string) =>
  queryOptions({
    queryKey: ['connectors', id, 'tools'],
    queryFn: ({ signal }) => ask(routes.tools, { names: { id }, query: { limit: 200 }, signal }),
  });

/** What a process said last. Nothing tells when it says more, so it is fetched anew each time it is looked at. */
export const connectorLogs = (id: string) =>
  queryOptions({
    queryKey: ['connector-logs', id],
    queryFn: async ({ signal }) => (await ask(routes.logs, { names: { id }, signal })).lines,
    staleTime: 0,
  });

/** Tries a connector that is not added yet, and tells each step. */
export function checkNewConnector(
  body: ConnectorAddition,
  signal: AbortSignal,
  onStep: (step: CheckStep) => void,
): Promise<void> {
  return askLines(routes.checkNew, { body, signal }, (line) => onStep(line as CheckStep));
}

/** Writes about connectors; whatever they change is looked at again. */
export function useConnectorWrites() {
  const client = useQueryClient();
  const onSettled = () =>
    Promise.all(
      ['connectors', 'tools', 'status', 'agents'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
  return {
    add: useMutation({ onSettled, mutationFn: (body: ConnectorAddition) => ask(routes.add, { body }) }),
    change: useMutation({
      onSettled,
      mutationFn: ({ id, patch, tag }: { id: string; patch: ConnectorPatch; tag?: string | undefined }) =>
        askWithTag(routes.change, { names: { id }, body: patch, ...(tag !== undefined && { ifMatch: tag }) }),
    }),
    remove: useMutation({ onSettled, mutationFn: (id: string) => ask(routes.remove, { names: { id } }) }),
    check: useMutation({ mutationFn: (id: string) => ask(routes.check, { names: { id } }) }),
    sync: useMutation({
      onSettled,
      mutationFn: ({ id, ...body }: { id: string; agent?: string; accept?: boolean }) =>
        ask(routes.sync, { names: { id }, body }),
    }),
    connect: useMutation({
      onSettled,
      mutationFn: ({ id, agent, account }: { id: string; agent?: string; account?: string }) =>
        ask(ROUTES.credentials.connect, {
          names: { id },
          body: {
            returnTo: `/connectors/${id}?tab=credentials`,
            ...(agent !== undefined && { agent }),
            ...(account !== undefined && { account }),
          },
        }),
    }),
    saveCredential: useMutation({
      onSettled,
      mutationFn: ({ id, owner, input }: { id: string; owner: string; input: CredentialInput }) =>
        ask(ROUTES.credentials.save, { names: { id, owner }, body: input }),
    }),
    chooseAccount: useMutation({
      onSettled,
      mutationFn: (names: AccountNames) => ask(ROUTES.credentials.chooseAccount, { names }),
    }),
    removeAccount: useMutation({
      onSettled,
      mutationFn: (names: AccountNames) => ask(ROUTES.credentials.removeAccount, { names }),
    }),
  };
}

interface AccountNames {
  readonly id: string;
  readonly owner: string;
  readonly account: string;
}

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ROUTES } from './contract.js';
import { ask, askForMessages } from './request.js';

import type { CallAnswer, ToolCallEvent } from '../../../src/contract/index.js';

export type {
  CallAnswer,
  CallStage,
  ToolCallEvent,
  ToolCallQuestion,
  ToolView,
} from '../../../src/contract/index.js';

const routes = ROUTES.tools;

export interface ToolFilters {
  readonly q?: string;
  readonly connector?: string;
  readonly agent?: string;
  readonly access?: 'can' | 'cannot';
  readonly risk?: 'read' | 'write' | 'destructive';
}

export const toolPages = (filters: ToolFilters) =>
  infiniteQueryOptions({
    queryKey: ['tools', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      ask(routes.list, {
        query: { ...filters, limit: 100, ...(pageParam !== '' && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

/** The first few that an agent sees. */
export const toolsSeenBy = (agent: string) =>
  queryOptions({
    queryKey: ['tools', 'seen', agent],
    queryFn: ({ signal }) => ask(routes.list, { query: { agent, limit: 200 }, signal }),
  });

export const toolDetail = (name: string) =>
  queryOptions({
    queryKey: ['tools', 'one', name],
    queryFn: ({ signal }) => ask(routes.get, { names: { name }, signal }),
  });

/** When a tool came, was changed or went, by the latest syncs of its connector, newest first. */
export const toolChanges = (connector: string, tool: string) =>
  queryOptions({
    queryKey: ['tools', 'changes', connector, tool],
    queryFn: async ({ signal }) => {
      // The history comes with the list; of that one is enough.
      const asked = { names: { id: connector }, query: { limit: 1 }, signal };
      const { history } = await ask(ROUTES.connectors.tools, asked);
      return history.flatMap((entry) =>
        (['added', 'changed', 'removed'] as const)
          .filter((kind) => entry[kind].includes(tool))
          .map((kind) => ({ at: entry.takenAt, kind })),
      );
    },
  });

export interface CallRequest {
  readonly agent: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls a tool and tells how it goes on. The last message is a result or an error. */
export function watchCall({ agent, name, args, signal }: CallRequest) {
  return askForMessages(routes.call, {
    body: { agent, name, arguments: args },
    signal,
  }) as AsyncGenerator<ToolCallEvent>;
}

export function answerQuestion(callId: string, question: string, body: CallAnswer) {
  return ask(routes.answer, { names: { callId, question }, body });
}

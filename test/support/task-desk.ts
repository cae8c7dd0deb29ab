import { onTestFinished } from 'vitest';
import type { Agent } from '../../src/agents/index.js';
import { buildSurface, type SurfaceScope } from '../../src/catalog/index.js';
import { createValidator, type HubEvent } from '../../src/governance/index.js';
import { silentLogger, toAgentId, toCallId } from '../../src/kernel/index.js';
import type { TaskState } from '../../src/mcp/model/index.js';
import { createRateLimits } from '../../src/operations/rate-limits.js';
import { TaskDesk } from '../../src/operations/tasks/task-desk.js';
import type { TaskRequest } from '../../src/operations/tasks/task-request.js';
import { openStorage } from '../../src/storage/index.js';
import { entryOf, EVERYTHING_PERMITTED } from './catalog-examples.js';
import { TaskUpstream, WORKING } from './task-upstream.js';

export const START = 1_000_000;
export const RESULT = { content: [{ type: 'text', text: 'done' }] };
export const DONE: TaskState = { ...WORKING, status: 'completed', result: RESULT };
export const CATALOG = [entryOf('crm', { tools: ['export'] }), entryOf('erp', { tools: ['export'] })];
export const UNKNOWN = { code: 'not_found' };

function agentOf(id: string): Agent {
  const facts = { name: id, enabled: true, tags: [], source: 'file', version: 1, createdAt: 0, updatedAt: 0 };
  return { ...facts, id: toAgentId(id) } as Agent;
}
export const [ADA, BOB] = [agentOf('ada'), agentOf('bob')];

/** Desks over one store, with an upstream that has one task. They are closed when the test is over. */
export async function openTaskDesk(perSecond = 0) {
  let at = START;
  const clock = { now: () => at, monotonic: () => at };
  const masterKeys = { active: { id: 'test', key: Buffer.alloc(32, 7) } };
  const storage = await openStorage({ url: 'sqlite::memory:', masterKeys, clock });
  const store = storage.tasks;
  const upstream = new TaskUpstream();
  const events: (Extract<HubEvent, { type: 'call.finished' }> & { readonly agent: unknown })[] = [];
  const rate = { perSecond, burst: 2 };
  let hiddenAt: SurfaceScope | undefined;
  const surface = (scope: SurfaceScope) =>
    buildSurface(scope === hiddenAt ? [] : CATALOG, scope, EVERYTHING_PERMITTED);
  let owner: string = 'shared';
  const make = (): TaskDesk =>
    new TaskDesk({
      store,
      tickets: storage.tickets,
      surfaces: { surfaceFor: (_agent, scope) => surface(scope) },
      credentials: {
        accessFor: () => ({ id: 'x', owner, headers: {} }),
        // With the new token the upstream is content.
        renew: async () => {
          upstream.failure = undefined;
          return true;
        },
      } as never,
      upstreams: { open: upstream.open },
      flows: { note: () => undefined },
      rates: createRateLimits({ perAgent: rate, perTool: { perSecond: 0, burst: 1 } }, clock),
      events: {
        append: (actor, event) =>
          event.type === 'call.finished' && events.push({ ...event, agent: 'id' in actor && actor.id }),
      },
      validator: createValidator(),
      outputCheck: 'off',
      clock,
      logger: silentLogger,
    });
  const desks = [make()];
  onTestFinished(async () => {
    for (const desk of desks) desk.close();
    await storage.close();
  });
  let calls = 0;
  const begun = (agent: Agent, connector = 'crm') => ({
    agent,
    entry: surface({ kind: 'all' }).findToolOf(connector, 'export')!,
    session: undefined,
    asks: undefined,
    callId: toCallId(`call-${++calls}`),
    exposedName: `${connector}__export`,
    owner: 'shared',
    wish: { wanted: false },
  });
  const begin = async (agent = ADA, connector = 'crm', ttlMs: number | null = 60_000): Promise<string> => {
    const { task } = await desks[0]!.begin(
      begun(agent, connector),
      { ...WORKING, ttlMs },
      await upstream.open(),
    );
    return task.taskId;
  };
  return {
    desk: desks[0]!,
    upstream,
    events,
    store,
    tickets: storage.tickets,
    begun,
    begin,
    /** Another process with the same store. */
    another: () => {
      desks.push(make());
      return desks.at(-1)!;
    },
    become: (other: string) => void (owner = other),
    /** From now on nothing is seen there, and everything elsewhere. */
    hideAt: (scope: SurfaceScope | undefined) => void (hiddenAt = scope),
    pass: (ms: number) => void (at += ms),
  };
}

export function as(agent: Agent, scope: SurfaceScope = { kind: 'all' }): TaskRequest {
  return { agent, scope, capabilities: {} };
}

import { expect, test } from 'vitest';
import type { Agent } from '../agents/index.js';
import { HubError, toAgentId } from '../kernel/index.js';
import { followTasks } from './task-updates.js';

test('a task that cannot be looked up is not honoured, and those that are followed end with the stream', async () => {
  const followed = new Set<string>();
  const watch = async (_request: unknown, id: string) => {
    if (id === 'unreadable') throw new HubError('storage_unavailable', 'the store cannot be reached');
    if (id === 'unknown') return undefined;
    followed.add(id);
    return () => void followed.delete(id);
  };
  const subscription = await followTasks(
    { watch },
    {
      agentOf: () => ({ id: toAgentId('ada') }) as Agent,
      scope: { kind: 'all' },
      taskIds: ['first', 'unknown', 'unreadable', 'last'],
      request: { principal: 'ada', filter: {}, emit: () => {} },
    },
  );
  expect(subscription.honoured).toEqual({ taskIds: ['first', 'last'] });
  expect([...followed]).toEqual(['first', 'last']);
  subscription.close();
  expect([...followed]).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Agent } from '../agents/index.js';
import { HubError, toAgentId } from '../kernel/index.js';
import type { TaskState } from '../mcp/model/index.js';
import type { McpRequest } from '../mcp/server/index.js';
import { createTaskPort } from './task-port.js';

const STATE: TaskState = {
  taskId: 't',
  status: 'working',
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUpdatedAt: '2026-01-01T00:00:00.000Z',
  ttlMs: 1_000,
};
const REFUSED = { modern: { error: { data: { reason: 'rate_limited', retryAfterMs: 10 } } } };
const AGENT = { id: toAgentId('ada') } as Agent;

/** As much of a request as is looked at. */
function request(): McpRequest {
  return { method: 'tasks/result', principal: 'ada', client: { capabilities: {} } } as McpRequest;
}

function setUp(admitted: number) {
  let left = admitted;
  const seen: string[] = [];
  const note = <Result>(name: string, result: Result): Promise<Result> => {
    seen.push(name);
    return Promise.resolve(result);
  };
  const port = createTaskPort(
    {
      admit: async (agent) => {
        expect(agent).toBe(AGENT.id);
        if (left-- <= 0) throw new HubError('rate_limited', 'too many', { retryAfterMs: 10 });
      },
      get: () => note('get', STATE),
      settled: () => note('settled', STATE),
      update: () => note('update', undefined),
      cancel: () => note('cancel', { before: STATE, now: STATE }),
      list: () => note('list', { tasks: [STATE] }),
    },
    { kind: 'all' },
    () => AGENT,
  );
  return { port, seen };
}

test('each request counts against the rate of its agent, and one that is refused does nothing', async () => {
  const { port, seen } = setUp(3);
  await port.get(request(), 't');
  await port.cancel(request(), 't', true);
  await port.list(request(), undefined);
  await expect(port.get(request(), 't')).rejects.toMatchObject(REFUSED);
  await expect(port.update(request(), 't', {})).rejects.toMatchObject(REFUSED);
  expect(seen).toEqual(['get', 'cancel', 'list']);
});

test('one that waits and answers in turn counts once, so that no answer is lost on the way', async () => {
  const { port, seen } = setUp(1);
  const result = request();
  await port.settled(result, 't', new Set());
  await port.update(result, 't', {});
  await port.settled(result, 't', new Set(['a']));
  expect(seen).toEqual(['settled', 'update', 'settled']);
});

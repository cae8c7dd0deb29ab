import { describe, expect, test } from 'vitest';
import { silentLogger, toAgentId, type TaskRecord } from '../../kernel/index.js';
import type { TaskState } from '../../mcp/model/index.js';
import { createMemoryTickets } from '../../../test/support/memory-tickets.js';
import { as, ADA, BOB, DONE, openTaskDesk, RESULT, UNKNOWN } from '../../../test/support/task-desk.js';
import { WORKING } from '../../../test/support/task-upstream.js';
import { KeptResults } from './kept-results.js';

describe('what became of a task is known to the next process', () => {
  test.each<readonly [string, TaskState]>([
    ['completed', DONE],
    ['failed', { ...WORKING, status: 'failed', error: { code: -32_000, message: 'no' } }],
  ])('that %s, while its upstream knows nothing of it', async (_, state) => {
    const { desk, another, begin, upstream, events } = await openTaskDesk();
    const id = await begin();
    upstream.state = state;
    const ended = await desk.get(as(ADA), id);
    desk.close();
    upstream.forget();
    const next = another();
    const { lastUpdatedAt: _when, ...rest } = ended;
    expect(await next.get(as(ADA), id)).toMatchObject(rest);
    await expect(next.get(as(BOB), id)).rejects.toMatchObject(UNKNOWN);
    expect(events).toHaveLength(1);
  });

  test('whose result had come at once, until its time is up or its agent is gone', async () => {
    const { desk, another, begun, pass, tickets } = await openTaskDesk();
    const wish = { wanted: true, ttlMs: 9_000 };
    const [one, two] = [
      await desk.keep({ ...begun(ADA), wish }, RESULT),
      await desk.keep({ ...begun(BOB), wish }, RESULT),
    ];
    desk.close();
    const next = another();
    expect(await next.get(as(ADA), one.task.taskId)).toMatchObject({ status: 'completed', result: RESULT });
    await next.removeAllOf(BOB.id);
    await expect(next.get(as(BOB), two.task.taskId)).rejects.toMatchObject(UNKNOWN);
    expect(await tickets.count('task-result')).toBe(1);
    pass(9_000);
    await expect(another().get(as(ADA), one.task.taskId)).rejects.toMatchObject(UNKNOWN);
  });

  test('unless it is too much to keep', async () => {
    const { desk, begun, tickets } = await openTaskDesk();
    const large = { content: [{ type: 'text', text: 'x'.repeat(300_000) }] };
    await desk.keep({ ...begun(ADA), wish: { wanted: true } }, large);
    expect(await tickets.count('task-result')).toBe(0);
  });

  test('and is gone from the store with a task that makes room', async () => {
    const { desk, begun, tickets } = await openTaskDesk();
    for (let n = 0; n < 64; n++) await desk.keep({ ...begun(ADA), wish: { wanted: true } }, RESULT);
    expect(await desk.hasRoom(ADA.id)).toBe(true);
    expect(await tickets.count('task-result')).toBe(63);
  });
});

describe('how many are kept', () => {
  function setUp() {
    let at = 0;
    const tickets = createMemoryTickets({ now: () => at, monotonic: () => at });
    const results = new KeptResults({ tickets, logger: silentLogger });
    const recordOf = (agent: string, n: number): TaskRecord =>
      ({ id: `${agent}-${n}`, agent: toAgentId(agent), expiresAt: 1_000, finished: true }) as TaskRecord;
    return {
      keep: (agent: string, n: number) => results.keep(recordOf(agent, n), DONE),
      find: (agent: string, n: number) => results.find(recordOf(agent, n)),
      later: () => void (at = 1_000),
      tickets,
    };
  }

  test('64 of an agent, which leaves room for others', async () => {
    const { keep, find, tickets } = setUp();
    for (let n = 0; n < 66; n++) await keep('ada', n);
    await keep('bob', 0);
    expect([await find('ada', 63), await find('ada', 64), await find('bob', 0)]).toEqual([
      DONE,
      undefined,
      DONE,
    ]);
    expect(await tickets.count('task-result')).toBe(65);
  });

  test('1,000 of all, of which those past their end make room', async () => {
    const { keep, later, tickets } = setUp();
    for (let n = 0; n < 1_010; n++) await keep(`agent${n % 40}`, n);
    expect(await tickets.count('task-result')).toBe(1_000);
    later();
    await keep('bob', 0);
    expect(await tickets.count('task-result')).toBe(1);
  });

  test('a store that cannot keep one does not keep the task from ending', async () => {
    const tickets = { ...createMemoryTickets(), put: () => Promise.reject(new Error('full')) };
    const results = new KeptResults({ tickets, logger: silentLogger });
    const record = { id: 'x', agent: toAgentId('ada'), expiresAt: Infinity } as TaskRecord;
    await expect(results.keep(record, DONE)).resolves.toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import type { SurfaceScope } from '../../catalog/index.js';
import { toCallId, type AgentId, type TaskRecord } from '../../kernel/index.js';
import type { TaskState } from '../../mcp/model/index.js';
import {
  as,
  ADA,
  BOB,
  CATALOG,
  DONE,
  openTaskDesk,
  RESULT,
  START,
  UNKNOWN,
} from '../../../test/support/task-desk.js';
import { WORKING } from '../../../test/support/task-upstream.js';

function recordOf(id: string, agent: AgentId, finished: boolean, createdAt = START): TaskRecord {
  return {
    id,
    agent,
    connector: CATALOG[0]!.connector.id,
    owner: 'shared',
    upstreamId: id,
    tool: 'export',
    exposedName: 'crm__export',
    callId: toCallId(id),
    status: finished ? 'completed' : 'working',
    createdAt,
    updatedAt: createdAt,
    expiresAt: START + 60_000,
    pollMs: undefined,
    finished,
  };
}

describe('whose it is', () => {
  test('B1.7: it exists for its agent, where that sees the tool, and for nobody else', async () => {
    const { desk, begin, events } = await openTaskDesk();
    const id = await begin();
    const elsewhere = as(ADA, { kind: 'connector', connector: CATALOG[1]!.connector.id });
    for (const request of [as(BOB), elsewhere]) {
      await expect(desk.get(request, id)).rejects.toMatchObject(UNKNOWN);
      await expect(desk.cancel(request, id, true)).rejects.toMatchObject(UNKNOWN);
      await expect(desk.update(request, id, {})).rejects.toMatchObject(UNKNOWN);
      await expect(desk.settled(request, id, new Set())).rejects.toMatchObject(UNKNOWN);
      expect(await desk.watch(request, id, () => {})).toBeUndefined();
      expect((await desk.list(request, undefined)).tasks).toEqual([]);
    }
    expect(await desk.get(as(ADA), id)).toMatchObject({ taskId: id, status: 'working' });
    expect((await desk.list(as(ADA), undefined)).tasks).toMatchObject([{ taskId: id }]);
    expect(events).toEqual([]);
  });

  test('another process knows it, with the credential it was begun with only', async () => {
    const { desk, begin, another, become, upstream, events } = await openTaskDesk();
    const [id, lost] = [await begin(), await begin()];
    desk.close();
    expect(upstream.openLeases).toBe(0);
    const next = another();
    upstream.state = DONE;
    expect(await next.get(as(ADA), id)).toMatchObject({ status: 'completed', result: RESULT });
    become('bob');
    await expect(next.get(as(ADA), lost)).rejects.toMatchObject(UNKNOWN);
    expect(events).toMatchObject([{ callId: 'call-1', outcome: 'ok' }]);
  });

  test('pages go on where they ended, and other cursors are refused', async () => {
    const { desk, store } = await openTaskDesk();
    for (let n = 0; n < 60; n++) await store.add(recordOf(`t${String(n).padStart(2, '0')}`, ADA.id, false));
    const first = await desk.list(as(ADA), undefined);
    const second = await desk.list(as(ADA), first.nextCursor);
    expect([first.tasks.length, second.tasks.length, second.nextCursor]).toEqual([50, 10, undefined]);
    expect(second.tasks[0]).toMatchObject({ taskId: 't50' });
    await expect(desk.list(as(ADA), 'bad')).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('how many', () => {
  test('an agent has 64; what is over makes room, the oldest first', async () => {
    const { desk, store } = await openTaskDesk();
    for (let n = 0; n < 62; n++) await store.add(recordOf(`t${n}`, ADA.id, false));
    await store.add(recordOf('younger', ADA.id, true, START + 2));
    expect(await desk.hasRoom(ADA.id)).toBe(true);
    await store.add(recordOf('older', ADA.id, true, START + 1));
    expect([await desk.hasRoom(ADA.id), await store.find('older')]).toEqual([true, undefined]);
    await store.add(recordOf('more', ADA.id, false));
    expect([await desk.hasRoom(ADA.id), await store.find('younger')]).toEqual([true, undefined]);
    await store.add(recordOf('last', ADA.id, false));
    expect([await desk.hasRoom(ADA.id), await desk.hasRoom(BOB.id)]).toEqual([false, true]);
  });

  test('all together have 10,000', async () => {
    const { desk, store } = await openTaskDesk();
    const total = { ...store, count: async (agent?: AgentId) => (agent === undefined ? 10_000 : 0) };
    Object.assign(store, total);
    expect(await desk.hasRoom(ADA.id)).toBe(false);
    await store.add(recordOf('over', BOB.id, true));
    expect([await desk.hasRoom(ADA.id), await store.find('over')]).toEqual([true, undefined]);
  });

  test('looking at them counts for the agent like a call', async () => {
    const { desk, pass } = await openTaskDesk(1);
    await desk.admit(ADA.id);
    await desk.admit(ADA.id);
    await expect(desk.admit(ADA.id)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 });
    await desk.admit(BOB.id);
    pass(1_000);
    await desk.admit(ADA.id);
  });
});

describe('one end, written down once', () => {
  test('of many who look at once, and in two processes', async () => {
    const { desk, another, begin, upstream, events } = await openTaskDesk();
    const id = await begin();
    const next = another();
    await next.get(as(ADA), id);
    upstream.state = { ...DONE, result: { ...RESULT, isError: true } };
    const looks = [desk, next].flatMap((one) => [one.get(as(ADA), id), one.settled(as(ADA), id, new Set())]);
    for (const state of await Promise.all(looks)) expect(state.result).toMatchObject({ isError: true });
    expect(events).toMatchObject([
      { agent: 'ada', callId: 'call-1', connector: 'crm', target: 'export', outcome: 'tool_error' },
    ]);
    expect(upstream.openLeases).toBe(0);
  });

  test('cancelled: how it was before is told, and a result that comes later changes nothing', async () => {
    const { desk, begin, upstream, events } = await openTaskDesk();
    const id = await begin();
    expect(await desk.cancel(as(ADA), id, true)).toMatchObject({
      before: { status: 'working' },
      now: { status: 'cancelled' },
    });
    upstream.state = DONE;
    expect(await desk.cancel(as(ADA), id, true)).toMatchObject({ before: { status: 'cancelled' } });
    expect([upstream.cancels, events.map(({ outcome }) => outcome)]).toEqual([1, ['cancelled']]);
  });

  test('forgotten by the upstream: nobody knows how it ended', async () => {
    const { desk, begin, upstream, events } = await openTaskDesk();
    const id = await begin();
    upstream.forget();
    const waiting = desk.settled(as(ADA), id, new Set());
    await expect(waiting).rejects.toMatchObject(UNKNOWN);
    await expect(desk.get(as(ADA), id)).rejects.toMatchObject(UNKNOWN);
    await desk.sweep();
    expect(events).toMatchObject([{ callId: 'call-1', outcome: 'outcome_unknown' }]);
    expect(upstream.openLeases).toBe(0);
  });

  test('past its end: unknown at once, and written down when it is swept', async () => {
    const { desk, begin, upstream, events, pass, store } = await openTaskDesk();
    const [short, endless] = [await begin(ADA, 'crm', 5_000), await begin(ADA, 'crm', null)];
    pass(4_999);
    expect(await desk.get(as(ADA), short)).toMatchObject({ ttlMs: 5_000 });
    pass(1);
    await expect(desk.get(as(ADA), short)).rejects.toMatchObject(UNKNOWN);
    await desk.sweep();
    await desk.sweep();
    expect(events).toMatchObject([{ callId: 'call-1', outcome: 'outcome_unknown', durationMs: 5_000 }]);
    expect(await desk.get(as(ADA), endless)).toMatchObject({ ttlMs: 86_400_000 });
    expect([upstream.openLeases, await store.count()]).toEqual([1, 1]);
  });

  test('past its end in every process, whichever of them wrote that down', async () => {
    const { desk, another, begin, upstream, events, pass } = await openTaskDesk();
    const [running, over] = [await begin(), await begin()];
    const next = another();
    await next.get(as(ADA), running);
    upstream.state = DONE;
    await next.get(as(ADA), over);
    upstream.state = WORKING;
    expect(upstream.openLeases).toBe(3);
    pass(60_000);
    await desk.sweep();
    await next.sweep();
    expect([upstream.openLeases, desk.size, next.size]).toEqual([0, 0, 0]);
    expect(events.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['call-2', 'ok'],
      ['call-1', 'outcome_unknown'],
    ]);
  });

  test('removed with its agent or its connector: cancelled, and told to the upstream and to who watches', async () => {
    const { desk, begin, upstream, events, store } = await openTaskDesk();
    const [one, two, his] = [await begin(), await begin(ADA, 'erp'), await begin(BOB)];
    const heard: string[] = [];
    await desk.watch(as(ADA), two, ({ status }) => heard.push(status));
    await desk.removeAllFor(CATALOG[1]!.connector.id);
    expect([heard, upstream.cancels]).toEqual([['cancelled'], 1]);
    await expect(desk.get(as(ADA), two)).rejects.toMatchObject(UNKNOWN);
    await desk.removeAllOf(ADA.id);
    await expect(desk.get(as(ADA), one)).rejects.toMatchObject(UNKNOWN);
    expect(await desk.get(as(BOB), his)).toMatchObject({ status: 'working' });
    expect(events.map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['call-2', 'cancelled'],
      ['call-1', 'cancelled'],
    ]);
    expect([upstream.openLeases, await store.count()]).toEqual([1, 1]);
  });

  test('a result that was there at once is kept, and its end is not written down again', async () => {
    const { desk, begun, events } = await openTaskDesk();
    const { task } = await desk.keep({ ...begun(ADA), wish: { wanted: true, ttlMs: 9_000 } }, RESULT);
    expect(task).toMatchObject({ status: 'completed', ttlMs: 9_000 });
    expect(await desk.get(as(ADA), task.taskId)).toMatchObject({ result: RESULT });
    await desk.removeAllOf(ADA.id);
    expect(events).toEqual([]);
  });
});

test('B36: what it asks says who asks where that is not clear, and answers reach the upstream', async () => {
  const { desk, begin, upstream } = await openTaskDesk();
  const id = await begin();
  const question = { method: 'elicitation/create', params: { mode: 'form', message: 'Sure?' } } as const;
  upstream.state = { ...WORKING, status: 'input_required', inputRequests: { a: question } };
  const messageIn = ({ inputRequests }: TaskState): unknown => inputRequests?.['a']?.params?.['message'];
  expect(messageIn(await desk.settled(as(ADA), id, new Set()))).toBe('crm: Sure?');
  const alone = as(ADA, { kind: 'connector', connector: CATALOG[0]!.connector.id });
  expect(messageIn(await desk.get(alone, id))).toBe('Sure?');
  await desk.update(as(ADA), id, { a: { action: 'decline' } });
  expect(upstream.answers).toEqual([{ a: { action: 'decline' } }]);
  expect((await desk.list(as(ADA), undefined)).tasks).toMatchObject([{ status: 'input_required' }]);
});

test('a task that cannot be stored is given up, and its caller told', async () => {
  const { desk, begun, upstream, store } = await openTaskDesk();
  Object.assign(store, { add: () => Promise.reject(new Error('full')) });
  await expect(desk.begin(begun(ADA), WORKING, await upstream.open())).rejects.toThrow('full');
  expect([upstream.cancels, upstream.openLeases]).toEqual([1, 0]);
});

test('when the hub ends, whoever waits is told so and the task goes on', async () => {
  const { desk, begin, upstream, events } = await openTaskDesk();
  const id = await begin();
  const waiting = desk.settled(as(ADA), id, new Set()).catch((error: unknown) => error);
  await expect.poll(() => upstream.looks).toBe(1);
  desk.close();
  expect(await waiting).toMatchObject({ code: 'shutting_down' });
  expect([upstream.cancels, events]).toEqual([0, []]);
});

test('whoever watches a task hears of it while it sees the tool', async () => {
  const { desk, upstream, begin, hideAt } = await openTaskDesk();
  const id = await begin();
  const there: SurfaceScope = { kind: 'connector', connector: 'crm' };
  const told: unknown[] = [];
  await desk.watch(as(ADA, there), id, ({ statusMessage }) => told.push(statusMessage));
  for (const [statusMessage, hidden] of [
    ['first', undefined],
    ['second', there],
    ['third', undefined],
  ] as const) {
    hideAt(hidden);
    upstream.state = { ...WORKING, statusMessage };
    await desk.get(as(ADA), id);
  }
  expect(told).toEqual(['first', 'third']);
});

test('C68: a token that is refused while a task is looked at is renewed, and nobody hears of it', async () => {
  const { desk, begin, upstream } = await openTaskDesk();
  const id = await begin();
  upstream.refuse();
  expect(await desk.get(as(ADA), id)).toMatchObject({ status: 'working' });
  expect(upstream.failure).toBeUndefined();
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildSurface } from '../../catalog/index.js';
import { HubError, toAgentId, toCallId, toConnectorId, type TaskRecord } from '../../kernel/index.js';
import type { CallResult, TaskState } from '../../mcp/model/index.js';
import { entryOf, EVERYTHING_PERMITTED } from '../../../test/support/catalog-examples.js';
import { TaskUpstream, WORKING } from '../../../test/support/task-upstream.js';
import { LiveTask, type LiveTaskParts } from './live-task.js';

const RESULT = { content: [{ type: 'text', text: 'done' }] };
const DONE: TaskState = { ...WORKING, status: 'completed', result: RESULT };
const ASKING: TaskState = {
  ...WORKING,
  status: 'input_required',
  inputRequests: { a: { method: 'roots/list', params: {} } },
};
const RECORD: TaskRecord = {
  id: 'ours',
  agent: toAgentId('ada'),
  connector: toConnectorId('crm'),
  owner: 'shared',
  upstreamId: 'far',
  tool: 'export',
  exposedName: 'crm__export',
  callId: toCallId('c1'),
  status: 'working',
  createdAt: 0,
  updatedAt: 0,
  expiresAt: 60_000,
  pollMs: 1_000,
  finished: false,
};
const ENTRY = buildSurface(
  [entryOf('crm', { tools: ['export'] })],
  { kind: 'all' },
  EVERYTHING_PERMITTED,
).findToolOf('crm', 'export')!;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(more: Partial<LiveTaskParts> = {}) {
  const upstream = new TaskUpstream();
  const endings: unknown[] = [];
  const changes: string[] = [];
  let lost = 0;
  const task = new LiveTask(
    RECORD,
    ENTRY,
    { ...WORKING, taskId: 'ours' },
    {
      open: upstream.open,
      admitted: (work) => work(),
      guard: (_entry, result: CallResult) => ({ result, bytes: 7, warnings: [] }),
      changed: (_task, { status }) => void changes.push(status),
      ended: async (_task, _state, ending) => void endings.push(ending),
      lost: async () => void lost++,
      ...more,
    },
  );
  return { upstream, task, endings, changes, lost: () => lost };
}

describe('looking', () => {
  test('is under our own name, and those who look at once look together', async () => {
    const { upstream, task } = setUp();
    upstream.state = { ...WORKING, statusMessage: 'half', ttlMs: 1 };
    const [one, two] = await Promise.all([task.look({}), task.look({})]);
    expect(one).toEqual({ ...WORKING, taskId: 'ours', statusMessage: 'half' });
    expect(two).toBe(one);
    expect([upstream.looks, upstream.followed]).toEqual([1, ['far']]);
  });

  test('the end is learned once, lets the conversation go and needs no upstream any more', async () => {
    const { upstream, task, endings, changes } = setUp();
    task.start();
    await task.look({});
    expect([upstream.openLeases, upstream.resting]).toEqual([1, 1]);
    upstream.state = DONE;
    await Promise.all([task.look({}), task.look({})]);
    await task.look({});
    expect(task.state).toMatchObject({ taskId: 'ours', status: 'completed', result: RESULT });
    expect(endings).toEqual([{ outcome: 'ok', resultBytes: 7 }]);
    expect(changes).toEqual(['completed']);
    expect([upstream.looks, upstream.openLeases, upstream.resting]).toEqual([2, 0, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an end that cannot be written down is found again, and whoever waits for it hears of it', async () => {
    let failures = 1;
    const { upstream, task, changes } = setUp({
      ended: async () => {
        if (failures-- > 0) throw new HubError('storage_unavailable', 'not now');
      },
    });
    const waiting = task.settled({}, undefined, () => false);
    await vi.advanceTimersByTimeAsync(0);
    upstream.state = DONE;
    await vi.advanceTimersByTimeAsync(1_000);
    expect([task.hasEnded, changes]).toEqual([false, []]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toMatchObject({ status: 'completed', result: RESULT });
    expect(changes).toEqual(['completed']);
    const { looks } = upstream;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([upstream.openLeases, upstream.looks]).toEqual([0, looks]);
  });

  test('goes on by itself, ever less often', async () => {
    const { upstream, task, endings } = setUp();
    task.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(upstream.looks).toBe(1);
    await vi.advanceTimersByTimeAsync(1_400);
    expect(upstream.looks).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(upstream.looks).toBe(2);
    await vi.advanceTimersByTimeAsync(300_000);
    const before = upstream.looks;
    upstream.state = DONE;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(upstream.looks).toBe(before + 1);
    expect(endings).toHaveLength(1);
  });

  test('after a lost conversation another one is opened', async () => {
    const { upstream, task, lost } = setUp();
    upstream.failure = new HubError('upstream_unavailable', 'gone');
    await expect(task.look({})).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(upstream.openLeases).toBe(0);
    upstream.failure = undefined;
    expect(await task.look({})).toMatchObject({ status: 'working' });
    expect(upstream.followed).toEqual(['far', 'far']);
    expect(lost()).toBe(0);
  });

  test('whoever needs a conversation at the same time as others shares theirs', async () => {
    const { upstream, task } = setUp();
    await Promise.all([task.look({}), task.update({ a: { roots: [] } }, {}), task.cancel({}, false)]);
    expect([upstream.openLeases, upstream.resting, upstream.followed]).toEqual([1, 1, ['far']]);
    expect([upstream.answers.length, upstream.cancels]).toEqual([1, 1]);
    task.close();
    await vi.advanceTimersByTimeAsync(0);
    expect([upstream.openLeases, upstream.resting]).toEqual([0, 0]);
  });

  test('a conversation that opens when the task is over is let go at once', async () => {
    const { upstream, task } = setUp();
    const looking = task.look({});
    const answering = task.update({ a: { roots: [] } }, {});
    task.close();
    expect(await looking).toMatchObject({ status: 'working' });
    await answering;
    expect([upstream.openLeases, upstream.resting, upstream.looks, upstream.answers]).toEqual([0, 0, 0, []]);
  });

  test('what the upstream forgot is lost', async () => {
    const { upstream, task, lost, endings } = setUp();
    upstream.forget();
    await expect(task.look({})).rejects.toMatchObject({ code: 'not_found' });
    expect([lost(), endings]).toEqual([1, []]);
  });
});

describe('ends', () => {
  const refuse = (): never => {
    throw new HubError('result_too_large', 'too large');
  };
  test.each<[string, TaskState, Partial<LiveTaskParts>, object, object]>([
    [
      'a failure of the tool',
      { ...DONE, result: { ...RESULT, isError: true } },
      {},
      { outcome: 'tool_error', resultBytes: 7 },
      { status: 'completed' },
    ],
    [
      'a failure of the task',
      { ...WORKING, status: 'failed', error: { code: -32_603, message: 'broke' } },
      {},
      { outcome: 'failed', error: 'upstream_rejected' },
      { status: 'failed', error: { message: 'broke' } },
    ],
    [
      'cancelled there',
      { ...WORKING, status: 'cancelled' },
      {},
      { outcome: 'cancelled', error: 'cancelled' },
      { status: 'cancelled' },
    ],
    [
      'a result that must not pass',
      DONE,
      { guard: refuse },
      { outcome: 'failed', error: 'result_too_large' },
      { status: 'completed', result: { isError: true, content: [{ text: 'too large' }] } },
    ],
  ])('%s', async (_name, seen, parts, ending, state) => {
    const { upstream, task, endings } = setUp(parts);
    upstream.state = seen;
    expect(await task.look({})).toMatchObject(state);
    expect(endings).toEqual([ending]);
  });
});

test('an end that is told against the protocol is one, and is looked at once', async () => {
  const { upstream, task, endings, changes } = setUp();
  task.start();
  upstream.failure = new HubError('upstream_protocol', 'answered against the protocol', {
    details: { reason: 'invalid_response', taskEnded: true },
    outcomeUnknown: true,
  });
  const result = { isError: true, content: [{ type: 'text', text: 'answered against the protocol' }] };
  expect(await task.look({})).toMatchObject({ taskId: 'ours', status: 'completed', result });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await task.look({})).toMatchObject({ result });
  expect(endings).toEqual([{ outcome: 'outcome_unknown', error: 'upstream_protocol' }]);
  expect([changes, upstream.looks, upstream.openLeases]).toEqual([['completed'], 1, 0]);
});

describe('cancelling', () => {
  test('is a wish unless it is final', async () => {
    const { upstream, task, endings } = setUp();
    await task.cancel({}, false);
    expect([upstream.cancels, task.state.status, endings]).toEqual([1, 'working', []]);
    await task.cancel({}, true);
    expect(task.state.status).toBe('cancelled');
    upstream.state = DONE;
    expect((await task.look({})).status).toBe('cancelled');
    await task.cancel({}, true);
    expect(upstream.cancels).toBe(2);
    expect(endings).toEqual([{ outcome: 'cancelled', error: 'cancelled' }]);
  });

  test('an end that came first stays', async () => {
    const { upstream, task, endings } = setUp();
    upstream.state = DONE;
    await task.cancel({}, true);
    expect(task.state.status).toBe('completed');
    expect(endings).toMatchObject([{ outcome: 'ok' }]);
  });

  test('of two ends that are found at once the one that was written down first stays', async () => {
    const written: (() => void)[] = [];
    const ended = () => new Promise<void>((resolve) => void written.push(resolve));
    const { upstream, task, changes } = setUp({ ended });
    const cancelling = task.cancel({}, true);
    await vi.waitFor(() => expect(written).toHaveLength(1));
    upstream.state = DONE;
    const looking = task.look({});
    await vi.waitFor(() => expect(written).toHaveLength(2));
    written[0]?.();
    await cancelling;
    written[1]?.();
    expect((await looking).status).toBe('cancelled');
    expect([task.state.status, changes]).toEqual(['cancelled', ['cancelled']]);
  });

  test('abandoning tells the upstream, and those who watch', async () => {
    const { upstream, task, endings } = setUp();
    const seen: string[] = [];
    await task.look({});
    task.watch(({ status }) => seen.push(status));
    upstream.failure = new HubError('upstream_unavailable', 'gone');
    await task.abandon();
    await task.abandon();
    expect([upstream.openLeases, seen, endings]).toEqual([0, ['cancelled'], []]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('questions', () => {
  test('are waited for with the end, and only new ones count', async () => {
    const { upstream, task } = setUp();
    const asked = task.settled({}, undefined, () => true);
    await vi.advanceTimersByTimeAsync(0);
    upstream.state = ASKING;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asked).toMatchObject({ inputRequests: ASKING.inputRequests });
    const ended = task.settled({}, undefined, () => false);
    await vi.advanceTimersByTimeAsync(3_000);
    upstream.state = DONE;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('answers go to the upstream until the task has ended', async () => {
    const { upstream, task } = setUp();
    await task.update({ a: { roots: [] } }, {});
    upstream.state = DONE;
    await task.look({});
    await task.update({ b: { roots: [] } }, {});
    expect(upstream.answers).toEqual([{ a: { roots: [] } }]);
  });

  test('whoever gives up waiting is told, and the task goes on', async () => {
    const { task, endings } = setUp();
    let giveUp: () => void = () => {};
    const waiting = task.settled(
      {},
      (listener) => void (giveUp = listener),
      () => true,
    );
    const outcome = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    giveUp();
    expect(await outcome).toMatchObject({ code: 'cancelled' });
    expect([task.hasEnded, endings]).toEqual([false, []]);
  });
});

test('whoever waits is told why, and nobody is told of an end that nobody knows', async () => {
  const { upstream, task } = setUp();
  const seen: string[] = [];
  task.watch(({ status }) => seen.push(status));
  const waiting = task.settled({}, undefined, () => true);
  const outcome = waiting.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(0);
  task.close(new HubError('shutting_down', 'the hub is shutting down'));
  expect(await outcome).toMatchObject({ code: 'shutting_down' });
  await expect(task.settled({}, undefined, () => true)).rejects.toMatchObject({ code: 'not_found' });
  expect([seen, upstream.cancels]).toEqual([[], 0]);
});

test('after it is closed nothing happens any more', async () => {
  const { upstream, task, endings, changes } = setUp();
  await task.look({});
  task.start();
  task.close();
  task.close();
  upstream.state = DONE;
  expect(await task.look({})).toMatchObject({ status: 'working' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([upstream.looks, upstream.openLeases, upstream.closes]).toEqual([1, 0, 1]);
  expect([endings, changes]).toEqual([[], []]);
});

import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openModern } from '../../../test/support/client/open-client.js';
import { SILENCE, type Answer, type Script } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import { TASKS_EXTENSION, type ClientOptions } from './index.js';

const CREATED = { resultType: 'task', taskId: 'task-1', status: 'working', ttlMs: null, pollIntervalMs: 500 };
const OPTIONS: Partial<ClientOptions> = {
  capabilities: { extensions: { [TASKS_EXTENSION]: {} }, elicitation: {} },
};
const FORM = {
  method: 'elicitation/create',
  params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
};

function task(more: object): Answer {
  return { resultType: 'complete', taskId: 'task-1', pollIntervalMs: 500, ...more };
}

function polls(...answers: readonly Answer[]): Script {
  let poll = 0;
  return {
    'tools/call': CREATED,
    'tasks/get': () => answers[Math.min(poll++, answers.length - 1)]!,
    'tasks/update': { resultType: 'complete' },
    'tasks/cancel': { resultType: 'complete' },
  };
}

describe('a call that becomes a task', () => {
  test('C77: is polled at its own interval until it has ended', async () => {
    const result = { content: [{ type: 'text', text: 'done' }], isError: true };
    const { client, wire, clock } = await openModern(
      {},
      polls(task({ status: 'working' }), task({ status: 'completed', result })),
      OPTIONS,
    );
    const call = client.callTool('slow', { x: 1 });
    await clock.advance(499);
    expect(wire.of('tasks/get')).toHaveLength(0);
    await clock.advance(1);
    expect(wire.of('tasks/get')).toHaveLength(1);
    await clock.advance(500);
    expect(await call).toEqual(result);
    for (const { headers, params } of wire.of('tasks/get')) {
      expect(headers['mcp-name']).toBe('task-1');
      expect(params).toMatchObject({ taskId: 'task-1' });
    }
    expect(wire.of('tasks/cancel')).toHaveLength(0);
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  test.each(['completed', 'failed'])('is looked at where its handle says no more than %s', async (status) => {
    const { client, clock } = await openModern(
      {},
      {
        ...polls(task({ status: 'completed', result: { content: [] } })),
        'tools/call': { ...CREATED, status },
      },
      OPTIONS,
    );
    const call = client.callTool('quick');
    await clock.advance(500);
    expect(await call).toEqual({ content: [] });
  });

  test('C77: a plain result is taken as well', async () => {
    const { client } = await openModern({}, { 'tools/call': { content: [] } }, OPTIONS);
    expect(await client.callTool('quick')).toEqual({ content: [] });
  });

  test('C77: each question is answered once, however often it is repeated', async () => {
    const asking = (keys: readonly string[]): Answer =>
      task({ status: 'input_required', inputRequests: Object.fromEntries(keys.map((key) => [key, FORM])) });
    const { client, wire, clock } = await openModern(
      {},
      polls(
        asking(['a']),
        asking(['a', 'b']),
        asking(['a', 'b']),
        task({ status: 'completed', result: { content: [] } }),
      ),
      { ...OPTIONS, handlers: { elicitation: () => ({ action: 'accept' }) } },
    );
    const call = client.callTool('slow');
    for (let poll = 0; poll < 4; poll++) await clock.advance(500);
    await call;
    expect(wire.of('tasks/update').map(({ params }) => params['inputResponses'])).toEqual([
      { a: { action: 'accept', content: {} } },
      { b: { action: 'accept', content: {} } },
    ]);
    expect(wire.of('tasks/update')[0]!.headers['mcp-name']).toBe('task-1');
  });

  test('one that cannot be asked about is lost: the call that began it was carried out', async () => {
    const refused = new TransportError('HTTP_UNAUTHORIZED', 'no', { status: 401, mayHaveArrived: false });
    const { client, wire, clock } = await openModern({}, polls(refused), OPTIONS);
    const call = failure(client.callTool('slow'));
    for (let poll = 0; poll < 8; poll++) await clock.advance(500);
    expect(await call).toMatchObject({ code: 'task_lost', mayHaveArrived: true });
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  test('failure and cancellation have their own errors', async () => {
    const failed = await openModern(
      {},
      polls(task({ status: 'failed', error: { code: -32603, message: 'broke', data: 1 } })),
      OPTIONS,
    );
    const call = failure(failed.client.callTool('slow'));
    await failed.clock.advance(500);
    const error = await call;
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ code: -32603, message: 'broke', data: 1 });
    const cancelled = await openModern({}, polls(task({ status: 'cancelled' })), OPTIONS);
    const other = failure(cancelled.client.callTool('slow'));
    await cancelled.clock.advance(500);
    expect(await other).toMatchObject({ code: 'task_cancelled' });
    expect(cancelled.wire.of('tasks/cancel')).toHaveLength(0);
  });

  const invalid: readonly [string, Answer][] = [
    ['an unknown status', task({ status: 'thinking' })],
    ['a failure without a reason', task({ status: 'failed' })],
    ['an end without a result', task({ status: 'completed' })],
    [
      'a question of a kind not declared',
      task({ status: 'input_required', inputRequests: { a: { method: 'roots/list' } } }),
    ],
    [
      'a question of an unknown kind',
      task({ status: 'input_required', inputRequests: { a: { method: 'ping' } } }),
    ],
  ];
  test.each(invalid)('%s is an invalid response', async (_name, answer) => {
    const { client, clock } = await openModern({}, polls(answer), {
      ...OPTIONS,
      handlers: { elicitation: () => ({ action: 'accept' }) },
    });
    const call = failure(client.callTool('slow'));
    await clock.advance(500);
    expect(await call).toMatchObject({ code: 'invalid_response' });
  });

  test('a lost poll is repeated, a refused one is not', async () => {
    const lost = new TransportError('CONNECT_FAILED', 'gone');
    const { client, wire, clock } = await openModern(
      {},
      polls(lost, task({ status: 'completed', result: { content: [] } })),
      OPTIONS,
    );
    const call = client.callTool('slow');
    await clock.advance(500);
    await clock.advance(1000);
    await call;
    expect(wire.of('tasks/get')).toHaveLength(2);
    const unknown = await openModern({}, polls(new ProtocolError(-32602, 'Unknown task')), OPTIONS);
    const other = failure(unknown.client.callTool('slow'));
    await unknown.clock.advance(500);
    expect(await other).toMatchObject({ code: -32602 });
    const gone = await openModern({}, polls(lost), OPTIONS);
    const third = failure(gone.client.callTool('slow'));
    await gone.clock.advance(10_000);
    expect(await third).toMatchObject({ code: 'task_lost', cause: lost });
    expect(gone.wire.of('tasks/get')).toHaveLength(3);
  });

  test('C21: an abort cancels the task, not the request', async () => {
    const { client, wire, clock } = await openModern({}, polls(task({ status: 'working' })), OPTIONS);
    const abort = new AbortController();
    const call = failure(client.callTool('slow', {}, { signal: abort.signal }));
    await clock.advance(500);
    abort.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    await settle();
    expect(wire.of('tasks/cancel').map(({ params }) => params['taskId'])).toEqual(['task-1']);
  });

  test('a task has a time limit of its own', async () => {
    const { client, wire, clock } = await openModern({}, polls(task({ status: 'working' })), {
      ...OPTIONS,
      timeouts: { taskMs: 2000 },
    });
    const call = failure(client.callTool('slow', {}, { timeoutMs: 10, totalMs: 10 }));
    await clock.advance(2100);
    expect(await call).toMatchObject({ code: 'timeout' });
    expect(wire.of('tasks/cancel')).toHaveLength(1);
  });

  test('a listener of progress that throws is reported, and the task goes on', async () => {
    const done = task({ status: 'completed', result: { content: [] } });
    const { client, clock, warnings } = await openModern({}, polls(done), OPTIONS);
    const onProgress = (): never => {
      throw new Error('mine');
    };
    const call = client.callTool('slow', {}, { onProgress });
    await clock.advance(60_000);
    expect(await call).toEqual({ content: [] });
    expect(warnings).toContainEqual({ code: 'hook_failed', message: 'onProgress threw' });
  });

  test('closing ends the wait', async () => {
    const { client, clock } = await openModern({}, polls(SILENCE), OPTIONS);
    const call = failure(client.callTool('slow'));
    await clock.advance(100);
    await client.close();
    expect(await call).toMatchObject({ code: 'closed' });
  });

  test('a process stays alive between two polls, and not after close', async () => {
    const { client, clock } = await openModern({}, polls(SILENCE), OPTIONS);
    const call = failure(client.callTool('slow'));
    await settle();
    expect(clock.keepingAlive).toBe(1);
    await client.close();
    expect(await call).toMatchObject({ code: 'closed' });
    expect(clock.waiting).toBe(0);
  });

  test('the handle is returned to whoever wants it', async () => {
    const { client, wire } = await openModern({}, polls(), OPTIONS);
    expect(await client.callRaw('tools/call', { name: 'slow' })).toMatchObject({
      type: 'task',
      task: { taskId: 'task-1', status: 'working', ttlMs: null, pollIntervalMs: 500 },
    });
    expect(wire.of('tasks/get')).toHaveLength(0);
  });

  test('a handle without an id is an invalid response', async () => {
    const { client } = await openModern(
      {},
      { 'tools/call': { resultType: 'task', status: 'working' } },
      OPTIONS,
    );
    expect(await failure(client.callTool('slow'))).toMatchObject({ code: 'invalid_response' });
  });
});

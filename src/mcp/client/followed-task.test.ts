import { describe, expect, test, vi } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { SILENCE, type Answer, type Script } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError, type JsonObject } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';

const RESULT = { content: [{ type: 'text', text: 'done' }] };
const FORM = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
const AT = '2026-01-01T00:00:00.000Z';
const CAPABLE = { tasks: { requests: { tools: { call: {} } } } };
const ASKABLE = {
  capabilities: { elicitation: {} },
  handlers: { elicitation: () => ({ action: 'decline' }) },
} as const;

function task(status: string, more: JsonObject = {}): JsonObject {
  return { taskId: 't', status, createdAt: AT, lastUpdatedAt: AT, ttl: 60_000, pollInterval: 500, ...more };
}

/** The answers in their order, the last one again and again. */
function inTurn(...answers: readonly Answer[]): () => Answer {
  let turn = 0;
  return () => answers[Math.min(turn++, answers.length - 1)]!;
}

async function open(script: Script) {
  const opened = await openLegacy(CAPABLE, script, ASKABLE);
  return { ...opened, followed: opened.client.followTask('t') };
}

describe('a task at a legacy server', () => {
  test('has one form, and its result is asked for when it has ended', async () => {
    const { followed, wire } = await open({
      'tasks/get': inTurn(task('working', { statusMessage: 'half' }), task('completed')),
      'tasks/result': { ...RESULT, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't' } } },
    });
    expect(await followed.get()).toEqual({
      taskId: 't',
      status: 'working',
      statusMessage: 'half',
      createdAt: AT,
      lastUpdatedAt: AT,
      ttlMs: 60_000,
      pollIntervalMs: 500,
    });
    expect(wire.of('tasks/result')).toHaveLength(0);
    expect(await followed.get()).toMatchObject({ status: 'completed', result: RESULT });
    expect((await followed.get()).result?.['_meta']).toBeUndefined();
    expect(wire.of('tasks/result')).toHaveLength(1);
  });

  test('a call that failed is a failed task, a cancelled one has no result', async () => {
    const failed = await open({
      'tasks/get': task('failed'),
      'tasks/result': new ProtocolError(-32_603, 'broke', 1),
    });
    expect(await failed.followed.get()).toMatchObject({
      status: 'failed',
      error: { code: -32_603, message: 'broke', data: 1 },
    });
    const cancelled = await open({ 'tasks/get': task('cancelled'), 'tasks/cancel': task('cancelled') });
    await cancelled.followed.cancel();
    expect(await cancelled.followed.get()).toMatchObject({ status: 'cancelled' });
    expect(cancelled.wire.of('tasks/cancel')).toHaveLength(1);
    expect(cancelled.wire.of('tasks/result')).toHaveLength(0);
  });

  test('one that failed with a result that does not say so has failed all the same', async () => {
    const { followed } = await open({ 'tasks/get': task('failed'), 'tasks/result': RESULT });
    expect(await followed.get()).toMatchObject({ result: { ...RESULT, isError: true } });
  });

  test('why one failed is told to those who see its error only', async () => {
    const { followed } = await open({
      'tasks/get': task('failed', { statusMessage: 'the disk is full' }),
      'tasks/result': new ProtocolError(-32_603, 'No result', 1),
    });
    expect((await followed.get()).error).toEqual({
      code: -32_603,
      message: 'No result: the disk is full',
      data: 1,
    });
  });

  test('a result that was lost on the way is asked for again', async () => {
    const { followed, wire } = await open({
      'tasks/get': task('completed'),
      'tasks/result': inTurn(new TransportError('CONNECT_FAILED', 'gone'), RESULT),
    });
    expect(await failure(followed.get())).toBeInstanceOf(Error);
    expect(await followed.get()).toMatchObject({ result: RESULT });
    expect(wire.of('tasks/result').length).toBeGreaterThanOrEqual(2);
  });

  test('one that the server does not know, or that makes no sense, is an error', async () => {
    const unknown = await open({ 'tasks/get': new ProtocolError(-32_602, 'Unknown task') });
    expect(await failure(unknown.followed.get())).toMatchObject({ code: -32_602 });
    const odd = await open({ 'tasks/get': task('thinking') });
    expect(await failure(odd.followed.get())).toMatchObject({ code: 'invalid_response' });
  });

  test('what it asks is seen under a key of its own, and answered under it once', async () => {
    let ended = false;
    const { followed, wire, clock } = await open({
      'tasks/get': () => task(ended ? 'completed' : 'input_required'),
      'tasks/result': () => SILENCE,
    });
    const looking = followed.get();
    await settle();
    const asking = wire.of('tasks/result')[0]!;
    wire.ask('q1', 'elicitation/create', FORM, asking.id);
    await clock.advance(100);
    const state = await looking;
    expect(state.status).toBe('input_required');
    const [[key, question] = ['', undefined]] = Object.entries(state.inputRequests ?? {});
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
    await followed.update({ [key]: { action: 'cancel' }, other: { action: 'accept' } });
    await followed.update({ [key]: { action: 'accept' } });
    await settle();
    expect(wire.responses).toMatchObject([{ kind: 'result', id: 'q1', result: { action: 'cancel' } }]);
    ended = true;
    wire.answer(asking.id!, RESULT);
    await settle();
    expect(await followed.get()).toMatchObject({ status: 'completed', result: RESULT });
    expect(wire.of('tasks/result')).toHaveLength(1);
  });

  test('without a question it is taken to be working, and closing ends the open request', async () => {
    const { followed, wire, clock } = await open({
      'tasks/get': task('input_required'),
      'tasks/result': () => SILENCE,
    });
    const looking = followed.get();
    await clock.advance(600);
    expect(await looking).toMatchObject({ status: 'working' });
    followed.close();
    followed.close();
    await settle();
    expect(wire.of('tasks/result').map(({ aborted }) => aborted)).toEqual([true]);
    expect(wire.of('tasks/cancel')).toHaveLength(0);
  });

  test('whoever does not wait for its first question any more is told so at once', async () => {
    const { followed, clock } = await open({
      'tasks/get': task('input_required'),
      'tasks/result': () => SILENCE,
    });
    const leaving = new AbortController();
    const looking = failure(followed.get({ signal: leaving.signal }));
    await settle();
    let reads = 0;
    vi.spyOn(clock, 'now').mockImplementation(() => 1_000 + ++reads);
    leaving.abort();
    expect(await looking).toMatchObject({ code: 'aborted' });
    expect(reads).toBeLessThan(10);
  });
});

const SPOILED: readonly [string, JsonObject][] = [
  ['content that is no list', { content: 'done' }],
  ['content that is no blocks', { content: ['done'] }],
  ['a mark that is neither true nor false', { content: [], isError: 'yes' }],
];

describe.each(SPOILED)('a result with %s is none, and the task has ended', (_name, result) => {
  const ended = { code: 'invalid_response', taskEnded: true };

  test('at a legacy server', async () => {
    const { followed } = await open({ 'tasks/get': task('completed'), 'tasks/result': result });
    expect(await failure(followed.get())).toMatchObject(ended);
  });

  test('at a modern one', async () => {
    const state = { resultType: 'complete', ...task('completed', { ttlMs: null, result }) };
    const { client } = await openModern({}, { 'tasks/get': state });
    expect(await failure(client.followTask('t').get())).toMatchObject(ended);
  });
});

test.each([
  ['a failure without a reason', 'failed', true],
  ['a state that nobody knows', 'thinking', false],
])('%s at a modern server', async (_name, status, taskEnded) => {
  const state = { resultType: 'complete', ...task(status, { ttlMs: null }) };
  const { client } = await openModern({}, { 'tasks/get': state });
  expect(await failure(client.followTask('t').get())).toMatchObject({ code: 'invalid_response', taskEnded });
});

test('a modern server is asked by the methods of the extension', async () => {
  const { client, wire } = await openModern(
    {},
    {
      'tasks/get': { resultType: 'complete', taskId: 't', status: 'completed', ttlMs: null, result: RESULT },
      'tasks/update': { resultType: 'complete' },
      'tasks/cancel': { resultType: 'complete' },
    },
  );
  const followed = client.followTask('t');
  expect(await followed.get()).toMatchObject({ status: 'completed', result: RESULT });
  await followed.update({ a: { action: 'accept' } });
  await followed.cancel();
  followed.close();
  expect(wire.of('tasks/update')[0]!.params).toMatchObject({
    taskId: 't',
    inputResponses: { a: { action: 'accept' } },
  });
  expect(wire.of('tasks/cancel')).toHaveLength(1);
});

import { describe, expect, test } from 'vitest';
import type { TaskState } from '../model/index.js';
import {
  readLegacyTask,
  readTask,
  readTaskWish,
  relatedTask,
  toLegacyCapabilities,
  toLegacyTask,
  withoutRelatedTask,
  withRelatedTask,
  writeTask,
  writeTaskState,
} from './tasks.js';

const AT = '2026-01-01T00:00:00.000Z';
const COMMON = { taskId: 't', createdAt: AT, lastUpdatedAt: AT };
const STATE: TaskState = { ...COMMON, status: 'working', ttlMs: 60_000, pollIntervalMs: 500 };
const RESULT = { content: [{ type: 'text', text: 'done' }] };
const FAILED = { ...RESULT, isError: true };
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

describe('B34, B35: a task in either era', () => {
  test('the same facts under other names', () => {
    const legacy = { ...COMMON, status: 'working', ttl: 60_000, pollInterval: 500 };
    expect(toLegacyTask(STATE)).toEqual(legacy);
    expect(readLegacyTask(legacy)).toEqual(STATE);
    expect(writeTask(STATE)).toEqual({ resultType: 'task', ...STATE });
    expect(readTask({ resultType: 'complete', ...writeTaskState(STATE) })).toEqual(STATE);
    expect(readLegacyTask({ ...legacy, ttl: null })).toMatchObject({ ttlMs: null });
  });

  test.each<[string, Partial<TaskState>, string]>([
    ['a result', { status: 'completed', result: RESULT }, 'completed'],
    ['a tool that failed', { status: 'completed', result: FAILED }, 'failed'],
    ['an error', { status: 'failed', error: { code: -32603, message: 'broke' } }, 'failed'],
    [
      'a question',
      { status: 'input_required', inputRequests: { a: { method: 'roots/list' } } },
      'input_required',
    ],
    ['an end by request', { status: 'cancelled' }, 'cancelled'],
  ])('%s', (_name, more, legacy) => {
    const state = { ...STATE, ...more };
    expect(readTask(writeTaskState(state))).toEqual(state);
    expect(toLegacyTask(state)['status']).toBe(legacy);
  });

  test.each([
    ['no object', null],
    ['no name', { ...STATE, taskId: '' }],
    ['an unknown status', { ...STATE, status: 'thinking' }],
    ['an end without a result', { ...STATE, status: 'completed' }],
    ['a failure without a reason', { ...STATE, status: 'failed', error: { code: 'x' } }],
    [
      'a question of an unknown kind',
      { ...STATE, status: 'input_required', inputRequests: { a: { method: 'x' } } },
    ],
  ])('%s is no task', (_name, value) => {
    expect(readTask(value as never)).toEqual(expect.any(String));
  });
});

test('what belongs to a task of a legacy server says so, and loses it on the way', () => {
  const marked = withRelatedTask({ ...RESULT, _meta: { x: 1 } }, 't');
  expect(relatedTask(marked)).toBe('t');
  expect(withoutRelatedTask(marked)).toEqual({ ...RESULT, _meta: { x: 1 } });
  expect(withoutRelatedTask(withRelatedTask(RESULT, 't'))).toEqual(RESULT);
  expect(relatedTask(RESULT)).toBeUndefined();
});

test('a legacy client asks for a task in its params', () => {
  expect(readTaskWish({ task: { ttl: 5 } })).toEqual({ wanted: true, ttlMs: 5 });
  expect(readTaskWish({ task: {} })).toEqual({ wanted: true });
  expect(readTaskWish({ task: true })).toBeUndefined();
  expect(readTaskWish({})).toBeUndefined();
});

test('only the revision that has tasks is told of them', () => {
  const capabilities = { tools: {}, extensions: { ...TASKS, other: {} } };
  expect(toLegacyCapabilities(capabilities, '2025-11-25')).toEqual({
    tools: {},
    extensions: { other: {} },
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  });
  expect(toLegacyCapabilities({ extensions: TASKS }, '2025-06-18')).toEqual({});
  expect(toLegacyCapabilities({ tools: {} }, '2025-11-25')).toEqual({ tools: {} });
});

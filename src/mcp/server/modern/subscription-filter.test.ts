import { expect, test } from 'vitest';
import { ProtocolError } from '../../jsonrpc/index.js';
import { coveredBy, includes, readFilter } from './subscription-filter.js';

test('a filter keeps what is asked for and nothing else', () => {
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: false,
    resourceSubscriptions: ['a', 'a', 'b'],
    taskIds: [],
    extra: 1,
  };
  expect(readFilter({ notifications })).toEqual({
    toolsListChanged: true,
    resourceSubscriptions: ['a', 'b'],
  });
});

test.each([
  undefined,
  {},
  { notifications: null },
  { notifications: [] },
  { notifications: { toolsListChanged: 'yes' } },
  { notifications: { taskIds: 't' } },
])('%o is no filter', (params) => {
  expect(() => readFilter(params as never)).toThrow(ProtocolError);
});

test('only what is advertised is covered', () => {
  const wanted = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['a'],
  };
  expect(coveredBy(wanted, {})).toEqual({});
  expect(
    coveredBy(wanted, { tools: {}, prompts: { listChanged: true }, resources: { subscribe: true } }),
  ).toEqual({ promptsListChanged: true, resourceSubscriptions: ['a'] });
  expect(coveredBy({}, { tools: { listChanged: true } })).toEqual({});
});

test('resources below a subscribed one may be told of, tasks only by their id', () => {
  expect(
    includes(
      { resourceSubscriptions: ['a:'] },
      { method: 'notifications/resources/updated', params: { uri: 'a:b' } },
    ),
  ).toBe(true);
  expect(
    includes(
      { resourceSubscriptions: [] },
      { method: 'notifications/resources/updated', params: { uri: 'a:b' } },
    ),
  ).toBe(false);
  expect(includes({ taskIds: ['t'] }, { method: 'notifications/tasks', params: { taskId: 't' } })).toBe(true);
  expect(includes({ taskIds: ['t'] }, { method: 'notifications/tasks' })).toBe(false);
});

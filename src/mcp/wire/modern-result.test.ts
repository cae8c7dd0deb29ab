import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson, arbitraryObject } from '../../../test/support/arbitrary-json.js';
import { parseJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { InputRequests } from '../model/index.js';
import {
  mayRequireInput,
  META_SERVER_INFO,
  readModernResult,
  writeInputRequired,
  writeModernResult,
  type CacheHints,
} from './index.js';

const INFO = { name: 'hub', version: '1' };
const HINTS: CacheHints = { ttlMs: 60_000, cacheScope: 'private' };

function written(method: string, result: JsonObject): unknown {
  return JSON.parse(writeModernResult(method, result, INFO, HINTS));
}

describe('S40, S41: results as they are written', () => {
  const meta = { [META_SERVER_INFO]: INFO };

  test.each([
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ])('%s may be cached', (method) => {
    expect(written(method, { a: 1 })).toEqual({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
      a: 1,
      _meta: meta,
    });
  });

  test.each(['tools/call', 'prompts/get', 'completion/complete', 'tasks/get', 'toString'])(
    '%s may not',
    (method) => {
      expect(written(method, { a: 1 })).toEqual({ resultType: 'complete', a: 1, _meta: meta });
    },
  );

  test('what a handler says itself stands, and what it leaves undefined does not', () => {
    expect(written('tools/list', { ttlMs: 0, cacheScope: 'public', tools: [] })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'public',
    });
    expect(written('tools/call', { resultType: 'task', taskId: 't' })).toMatchObject({ resultType: 'task' });
    expect(
      written('tools/list', { resultType: undefined, ttlMs: undefined, cacheScope: undefined }),
    ).toMatchObject({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
    });
  });

  test('other keys of _meta stay; the name of another server does not', () => {
    const result = { _meta: { 'com.vendor/x': 1, [META_SERVER_INFO]: { name: 'upstream', version: '9' } } };
    expect(written('tools/call', result)).toMatchObject({ _meta: { 'com.vendor/x': 1, ...meta } });
    expect(written('tools/call', { _meta: 'x' })).toMatchObject({ _meta: meta });
  });

  test('execution is no member of a modern tool', () => {
    const tools = [{ name: 'a', execution: { taskSupport: 'optional' }, title: 'A' }, { name: 'b' }, 7];
    expect(written('tools/list', { tools })).toMatchObject({
      tools: [{ name: 'a', title: 'A' }, { name: 'b' }, 7],
    });
    expect(JSON.stringify(written('tools/list', { tools }))).not.toContain('execution');
    expect(written('tools/list', {})).not.toHaveProperty('tools');
  });

  test('numbers keep their digits and names stay names', () => {
    const result = parseJson(
      '{"structuredContent":9007199254740993,"__proto__":{"a":1},"content":[]}',
    ) as JsonObject;
    const text = writeModernResult('tools/call', result, INFO, HINTS);
    expect(text).toContain('"structuredContent":9007199254740993');
    expect(text).toContain('"__proto__":{"a":1}');
  });

  test('any result is read again', () => {
    fc.assert(
      fc.property(arbitraryObject(), (result) => {
        const { resultType: _, _meta, ...rest } = result;
        const text = writeModernResult('tools/call', rest, INFO, HINTS);
        const read = readModernResult('tools/call', parseJson(text), false);
        expect(read.type).toBe('complete');
        const members = read.type === 'complete' ? read.result : {};
        const { resultType: __, _meta: ___, ...kept } = members;
        expect(JSON.stringify(kept)).toBe(JSON.stringify(rest));
      }),
    );
  });
});

describe('S43: requests for input as they are written', () => {
  const requests: InputRequests = { a: { method: 'roots/list' } };

  test.each<[InputRequests, string | undefined, unknown]>([
    [requests, 's', { resultType: 'input_required', inputRequests: requests, requestState: 's' }],
    [requests, undefined, { resultType: 'input_required', inputRequests: requests }],
    [{}, 's', { resultType: 'input_required', requestState: 's' }],
    [{}, '', { resultType: 'input_required', requestState: '' }],
  ])('%j %j', (asked, state, expected) => {
    expect(JSON.parse(writeInputRequired(asked, state))).toEqual(expected);
    expect(readModernResult('tools/call', parseJson(writeInputRequired(asked, state)), false)).toEqual({
      type: 'input_required',
      requests: asked,
      requestState: state,
    });
  });

  test('with the name of the server', () => {
    expect(JSON.parse(writeInputRequired(requests, undefined, INFO))).toMatchObject({
      _meta: { [META_SERVER_INFO]: INFO },
    });
  });

  test('three methods may ask', () => {
    const all = [
      'tools/call',
      'prompts/get',
      'resources/read',
      'tools/list',
      'completion/complete',
      'constructor',
    ];
    expect(all.filter(mayRequireInput)).toEqual(['tools/call', 'prompts/get', 'resources/read']);
  });
});

describe('C28: results as they are read', () => {
  const asking = (inputRequests: Json, requestState?: Json): JsonObject => ({
    resultType: 'input_required',
    inputRequests,
    ...(requestState !== undefined && { requestState }),
  });

  test('without a type a result is complete', () => {
    expect(readModernResult('tools/call', { content: [] }, false)).toEqual({
      type: 'complete',
      result: { content: [] },
    });
  });

  test('a task is one where it was asked for', () => {
    const task = { resultType: 'task', taskId: 't' };
    expect(readModernResult('tools/call', task, true)).toEqual({ type: 'task', result: task });
    expect(readModernResult('tools/call', task, false).type).toBe('invalid');
    expect(readModernResult('prompts/get', task, true).type).toBe('invalid');
  });

  test.each<[string, string, Json]>([
    ['no object', 'tools/call', []],
    ['null', 'tools/call', null],
    ['exact number', 'tools/call', parseJson('1e400')],
    ['unknown type', 'tools/call', { resultType: 'later' }],
    ['null type', 'tools/call', { resultType: null }],
    ['type of an object', 'tools/call', { resultType: 'toString' }],
    ['input for a list', 'tools/list', asking({ a: { method: 'roots/list' } })],
    ['neither requests nor state', 'tools/call', asking({})],
    ['nothing at all', 'tools/call', { resultType: 'input_required' }],
    ['requests in a list', 'tools/call', asking([{ method: 'roots/list' }])],
    ['requests null', 'tools/call', asking(null)],
    ['state that is no text', 'tools/call', asking({ a: { method: 'roots/list' } }, 7)],
    ['unknown method', 'tools/call', asking({ a: { method: 'ping' } })],
    ['no method', 'tools/call', asking({ a: {} })],
    ['request that is no object', 'tools/call', asking({ a: 'roots/list' })],
    ['params in a list', 'tools/call', asking({ a: { method: 'roots/list', params: [] } })],
  ])('%s is invalid', (_name, method, value) => {
    expect(readModernResult(method, value, true).type).toBe('invalid');
  });

  test('any value has a reading', () => {
    const value = fc.oneof(
      arbitraryJson(),
      fc.record(
        {
          resultType: fc.constantFrom('complete', 'input_required', 'task', 'x'),
          inputRequests: arbitraryJson(),
          requestState: arbitraryJson(),
        },
        { requiredKeys: ['resultType'] },
      ),
    );
    fc.assert(
      fc.property(value, fc.boolean(), (each, tasks) => {
        const read = readModernResult('tools/call', each, tasks);
        expect(['complete', 'input_required', 'task', 'invalid']).toContain(read.type);
      }),
    );
  });
});

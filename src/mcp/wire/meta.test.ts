import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson, arbitraryObject } from '../../../test/support/arbitrary-json.js';
import { INVALID_PARAMS, parseJson, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  claimsModern,
  envelopeKeys,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_REVISION,
  metaOf,
  readEnvelope,
  readProgressToken,
  withMeta,
  withoutHopMeta,
} from './index.js';

const META: JsonObject = { [META_REVISION]: '2026-07-28', [META_CLIENT_CAPABILITIES]: {} };

function paramsWith(keys: JsonObject): JsonObject {
  return { name: 'x', _meta: { ...META, ...keys } };
}

describe('S28: envelopes', () => {
  test('the least there must be', () => {
    expect(readEnvelope({ _meta: META })).toEqual({
      revision: '2026-07-28',
      capabilities: {},
      info: undefined,
      logLevel: undefined,
    });
  });

  test('everything there may be', () => {
    const capabilities = {
      roots: {},
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
      experimental: {},
      'com.vendor/thing': 7,
    };
    const info = { name: 'desk', version: '3', title: 'Desk', icons: [] };
    const params = paramsWith({
      [META_CLIENT_CAPABILITIES]: capabilities,
      [META_CLIENT_INFO]: info,
      [META_LOG_LEVEL]: 'warning',
    });
    const envelope = readEnvelope(params);
    expect(envelope).toEqual({ revision: '2026-07-28', capabilities, info, logLevel: 'warning' });
    expect(readEnvelope(withMeta({}, envelopeKeys(envelope)))).toEqual(envelope);
  });

  test.each<[string, JsonObject | undefined]>([
    ['no params', undefined],
    ['no _meta', {}],
    ['_meta null', { _meta: null }],
    ['_meta string', { _meta: 'x' }],
    ['_meta array', { _meta: [META] }],
    ['_meta exact number', parseJson('{"_meta":1e400}') as JsonObject],
    ['no version', { _meta: { [META_CLIENT_CAPABILITIES]: {} } }],
    ['version null', paramsWith({ [META_REVISION]: null })],
    ['version number', paramsWith({ [META_REVISION]: 20260728 })],
    ['version object', paramsWith({ [META_REVISION]: {} })],
    ['no capabilities', { _meta: { [META_REVISION]: '2026-07-28' } }],
    ['capabilities null', paramsWith({ [META_CLIENT_CAPABILITIES]: null })],
    ['capabilities array', paramsWith({ [META_CLIENT_CAPABILITIES]: [] })],
    ['capabilities string', paramsWith({ [META_CLIENT_CAPABILITIES]: 'all' })],
    ['elicitation null', paramsWith({ [META_CLIENT_CAPABILITIES]: { elicitation: null } })],
    ['sampling true', paramsWith({ [META_CLIENT_CAPABILITIES]: { sampling: true } })],
    ['roots array', paramsWith({ [META_CLIENT_CAPABILITIES]: { roots: [] } })],
    ['extensions string', paramsWith({ [META_CLIENT_CAPABILITIES]: { extensions: 'x' } })],
    ['experimental number', paramsWith({ [META_CLIENT_CAPABILITIES]: { experimental: 1 } })],
    ['info string', paramsWith({ [META_CLIENT_INFO]: 'desk' })],
    ['info null', paramsWith({ [META_CLIENT_INFO]: null })],
    ['info without version', paramsWith({ [META_CLIENT_INFO]: { name: 'desk' } })],
    ['info without name', paramsWith({ [META_CLIENT_INFO]: { version: '1' } })],
    ['info with a number', paramsWith({ [META_CLIENT_INFO]: { name: 'desk', version: 1 } })],
    ['S36: unknown level', paramsWith({ [META_LOG_LEVEL]: 'loud' })],
    ['S36: level null', paramsWith({ [META_LOG_LEVEL]: null })],
    ['S36: level of an object', paramsWith({ [META_LOG_LEVEL]: 'toString' })],
  ])('M-14: %s', (_name, params) => {
    expect(() => readEnvelope(params)).toThrow(expect.objectContaining({ code: INVALID_PARAMS }));
  });

  test('a claim is one, well-formed or not', () => {
    expect(claimsModern(paramsWith({}))).toBe(true);
    expect(claimsModern(paramsWith({ [META_REVISION]: null }))).toBe(true);
    expect(claimsModern({ _meta: { [META_CLIENT_CAPABILITIES]: {} } })).toBe(false);
    expect(claimsModern({ _meta: 'x' })).toBe(false);
    expect(claimsModern(undefined)).toBe(false);
  });

  test('any params give an envelope or INVALID_PARAMS', () => {
    const meta = fc.record(
      {
        [META_REVISION]: fc.oneof(fc.constant<Json>('2026-07-28'), arbitraryJson()),
        [META_CLIENT_CAPABILITIES]: fc.oneof(arbitraryObject(), arbitraryJson()),
        [META_CLIENT_INFO]: fc.oneof(fc.record({ name: fc.string(), version: fc.string() }), arbitraryJson()),
        [META_LOG_LEVEL]: fc.oneof(fc.constant<Json>('debug'), arbitraryJson()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(meta, arbitraryJson()), (value) => {
        try {
          expect(typeof readEnvelope({ _meta: value }).revision).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
          expect(error).toMatchObject({ code: INVALID_PARAMS });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('progress tokens', () => {
  test.each<[Json | undefined, unknown]>([
    [undefined, undefined],
    [{}, undefined],
    [{ progressToken: 0 }, 0],
    [{ progressToken: '' }, ''],
    [{ progressToken: 'p-1' }, 'p-1'],
    [{ progressToken: -3 }, -3],
  ])('%j', (meta, token) => {
    expect(readProgressToken(meta === undefined ? {} : { _meta: meta })).toBe(token);
  });

  test.each([
    '"x"',
    'null',
    '[]',
    '7',
    '{"progressToken":{}}',
    '{"progressToken":null}',
    '{"progressToken":1.5}',
    '{"progressToken":true}',
    '{"progressToken":9007199254740993}',
  ])('M-30: %s is refused', (meta) => {
    const params = parseJson(`{"_meta":${meta}}`) as JsonObject;
    expect(() => readProgressToken(params)).toThrow(expect.objectContaining({ code: INVALID_PARAMS }));
  });
});

describe('B6: what belongs to one hop', () => {
  test('goes; vendor keys and trace context stay', () => {
    const params = paramsWith({
      progressToken: 1,
      traceparent: '00-a',
      'com.vendor/x': { y: 1 },
      [META_LOG_LEVEL]: 'info',
    });
    expect(withoutHopMeta(params)).toEqual({
      name: 'x',
      _meta: { traceparent: '00-a', 'com.vendor/x': { y: 1 } },
    });
    expect(params['_meta']).toHaveProperty('progressToken');
  });

  test('leaves no empty _meta behind', () => {
    expect(withoutHopMeta(paramsWith({ progressToken: 1 }))).toEqual({ name: 'x' });
    expect(withoutHopMeta({ name: 'x', _meta: {} })).toEqual({ name: 'x' });
  });

  test('leaves the params of a call as they are, and whatever else is in them', () => {
    const call = { name: 'x', arguments: { a: 1 } };
    for (const more of [{}, { task: { ttl: 1 } }, { _x: null }]) {
      const params = { ...call, _meta: META, ...more };
      expect(withoutHopMeta(params)).toEqual({ ...call, ...more });
      expect(params).toHaveProperty('_meta');
    }
    expect(withoutHopMeta({ name: 'x', other: 1, _meta: META })).toEqual({ name: 'x', other: 1 });
  });

  test('is no matter where there is no _meta', () => {
    for (const params of [{}, { name: 'x' }, { _meta: 'x' }]) expect(withoutHopMeta(params)).toBe(params);
  });

  test('everything else in any params is kept, __proto__ included', () => {
    fc.assert(
      fc.property(arbitraryObject(), arbitraryObject(), (rest, vendor) => {
        const { _meta: _, ...members } = rest;
        const { progressToken: __, ...keys } = vendor;
        const expected = Object.keys(keys).length === 0 ? members : { ...members, _meta: keys };
        const params = { ...members, _meta: { ...keys, ...META, progressToken: 5 } };
        expect(JSON.stringify(withoutHopMeta(params))).toBe(JSON.stringify(expected));
      }),
      { numRuns: 300 },
    );
    const params = parseJson('{"_meta":{"__proto__":{"polluted":1},"progressToken":1}}') as JsonObject;
    const kept = metaOf(withoutHopMeta(params))!;
    expect(Object.keys(kept)).toEqual(['__proto__']);
    expect(kept['polluted']).toBeUndefined();
  });
});

describe('withMeta', () => {
  test('sets keys and keeps the others, __proto__ included', () => {
    const params = parseJson('{"a":1,"__proto__":2,"_meta":{"b":1,"c":2,"__proto__":3}}') as JsonObject;
    expect(JSON.stringify(withMeta(params, { c: 3, d: 4 }))).toBe(
      '{"a":1,"__proto__":2,"_meta":{"b":1,"c":3,"__proto__":3,"d":4}}',
    );
    expect(withMeta(undefined, { c: 3 })).toEqual({ _meta: { c: 3 } });
    expect(withMeta({ _meta: 'x' }, { c: 3 })).toEqual({ _meta: { c: 3 } });
  });
});

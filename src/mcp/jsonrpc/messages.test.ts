import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson, arbitraryObject } from '../../../test/support/arbitrary-json.js';
import {
  InvalidMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRequestId,
  parseJson,
  ProtocolError,
  toMessage,
  type Json,
  type JsonObject,
  type Message,
} from './index.js';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' } as const;

/** Parsed from text, so that exact numbers and `__proto__` arrive as they do from a peer. */
function refusalOf(text: string): { readonly code: number; readonly id: unknown; readonly message: string } {
  try {
    toMessage(parseJson(text));
  } catch (error) {
    if (error instanceof InvalidMessage) return { code: error.code, id: error.id, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
}

function call(members: string): string {
  return `{"jsonrpc":"2.0",${members}}`;
}

describe('messages that are none', () => {
  test.each(['42', '"x"', 'null', 'true', '{}', '[]', '1e400', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'])(
    'J-13, J-14: %s',
    (text) => {
      expect(refusalOf(text)).toMatchObject({ code: INVALID_REQUEST, id: undefined });
    },
  );

  test.each([
    '',
    '"jsonrpc":"1.0",',
    '"jsonrpc":2.0,',
    '"jsonrpc":"2",',
    '"jsonrpc":null,',
    '"JSONRPC":"2.0",',
  ])('R-1: %s', (version) => {
    expect(refusalOf(`{${version}"id":7,"method":"ping"}`)).toMatchObject({ code: INVALID_REQUEST, id: 7 });
  });

  test.each(['null', '1.5', 'true', '{}', '[]', '1e400', '9007199254740993', '"\\ud800"', '"a\\udc00b"'])(
    'R-2, R-4, J-5: id %s',
    (id) => {
      expect(refusalOf(call(`"id":${id},"method":"ping"`))).toMatchObject({
        code: INVALID_REQUEST,
        id: undefined,
      });
    },
  );

  test.each([257, 65_536, 1_000_000])('R-5: id of %i bytes', (length) => {
    const { code, message } = refusalOf(call(`"id":"${'x'.repeat(length)}","method":"ping"`));
    expect(code).toBe(INVALID_REQUEST);
    expect(message.length).toBeLessThan(200);
  });

  test('R-5: the length of an id is counted in bytes', () => {
    expect(isRequestId('é'.repeat(128))).toBe(true);
    expect(isRequestId('é'.repeat(129))).toBe(false);
  });

  test.each([
    '',
    '"method":7',
    '"method":""',
    '"method":null',
    '"method":["ping"]',
    `"method":"${'m'.repeat(129)}"`,
  ])('R-6, R-8: %.20s', (method) => {
    const { code, id, message } = refusalOf(call(`"id":"a"${method && `,${method}`}`));
    expect({ code, id }).toEqual({ code: INVALID_REQUEST, id: 'a' });
    expect(message.length).toBeLessThan(200);
  });

  test.each(['"Method"', '"METHOD"', '"mеthod"', '"method\\u0000"', '"method "'])(
    'J-10: %s is no method',
    (key) => {
      expect(refusalOf(call(`"id":1,${key}:"ping"`))).toMatchObject({ code: INVALID_REQUEST, id: 1 });
    },
  );

  test.each(['"x"', '7', 'true', '[]', 'null', '1e400'])('R-9: params %s', (params) => {
    expect(refusalOf(call(`"id":1,"method":"ping","params":${params}`))).toMatchObject({
      code: INVALID_PARAMS,
      id: 1,
    });
  });

  test.each([
    '"id":1,"result":{},"error":{"code":1,"message":""}',
    '"id":1,"method":"ping","result":{}',
    '"id":1,"method":"ping","error":{"code":1,"message":""}',
    '"id":1,"method":null,"result":{}',
    '"id":1,"result":{},"error":null',
    '"id":null,"result":{}',
    '"result":{}',
    '"id":1.5,"error":{"code":1,"message":""}',
    '"id":1,"error":null',
    '"id":1,"error":"x"',
    '"id":1,"error":{"code":"1","message":""}',
    '"id":1,"error":{"code":1.5,"message":""}',
    '"id":1,"error":{"code":1e400,"message":""}',
    '"id":1,"error":{"code":1}',
  ])('R-11: %s', (members) => {
    expect(refusalOf(call(members)).code).toBe(INVALID_REQUEST);
  });

  test('R-12: a malformed notification', () => {
    expect(refusalOf(call('"method":"notifications/cancelled","params":[]')).code).toBe(INVALID_PARAMS);
  });
});

describe('messages that are some', () => {
  test.each<[string, Json, Message]>([
    [
      'request',
      { ...CALL, params: { name: 'x' } },
      { kind: 'request', id: 1, method: 'tools/call', params: { name: 'x' } },
    ],
    [
      'request without params',
      { ...CALL },
      { kind: 'request', id: 1, method: 'tools/call', params: undefined },
    ],
    [
      'notification',
      { jsonrpc: '2.0', method: 'notifications/x', params: {} },
      { kind: 'notification', method: 'notifications/x', params: {} },
    ],
    ['result', { jsonrpc: '2.0', id: 'a', result: {} }, { kind: 'result', id: 'a', result: {} }],
    ['null result', { jsonrpc: '2.0', id: 'a', result: null }, { kind: 'result', id: 'a', result: null }],
    [
      'error',
      { jsonrpc: '2.0', id: 0, error: { code: -32601, message: 'no', data: [1] } },
      { kind: 'error', id: 0, error: { code: -32601, message: 'no', data: [1] } },
    ],
    [
      'error for an unreadable request',
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } },
      { kind: 'error', id: undefined, error: { code: -32700, message: '' } },
    ],
    [
      'error without id',
      { jsonrpc: '2.0', error: { code: -32700, message: '' } },
      { kind: 'error', id: undefined, error: { code: -32700, message: '' } },
    ],
  ])('%s', (_name, value, message) => {
    expect(toMessage(value)).toEqual(message);
  });

  test.each([
    '',
    '0',
    '😀',
    '<b>&"\\',
    'x'.repeat(256),
    0,
    -7,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('R-3: id %j is kept with its type', (id) => {
    expect(toMessage({ ...CALL, id })).toMatchObject({ kind: 'request', id });
  });

  test.each(['rpc.x', '__proto__', 'constructor', 'toString', 'unknown', 'm'.repeat(128)])(
    'R-7: %.20s is a method, known or not',
    (method) => {
      expect(toMessage({ ...CALL, method })).toMatchObject({ kind: 'request', method });
    },
  );

  test('members named like those of objects are not seen as members of a message', () => {
    const value = parseJson('{"__proto__":{"method":"ping"},"jsonrpc":"2.0","id":1}');
    expect(() => toMessage(value)).toThrow(InvalidMessage);
  });
});

describe('any value', () => {
  const almostMessage: fc.Arbitrary<JsonObject> = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant<Json>('2.0') }, arbitraryJson()),
      id: fc.oneof(fc.integer(), fc.string(), arbitraryJson()),
      method: fc.oneof(fc.string(), arbitraryJson()),
      params: fc.oneof(arbitraryObject(), arbitraryJson()),
      result: arbitraryJson(),
      error: fc.oneof(
        fc.record({ code: fc.integer(), message: fc.string(), data: arbitraryJson() }),
        arbitraryJson(),
      ),
    },
    { requiredKeys: [] },
  );

  test('is a message or an InvalidMessage', () => {
    fc.assert(
      fc.property(fc.oneof(almostMessage, arbitraryJson()), (value) => {
        try {
          const message = toMessage(value);
          if ('id' in message && message.id !== undefined) expect(isRequestId(message.id)).toBe(true);
          if ('params' in message) expect(Array.isArray(message.params)).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidMessage);
          expect(error).toBeInstanceOf(ProtocolError);
          expect([INVALID_REQUEST, INVALID_PARAMS]).toContain((error as InvalidMessage).code);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('undefined is an InvalidMessage', () => {
    expect(() => toMessage(undefined)).toThrow(InvalidMessage);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arbitraryJson,
  arbitraryObject,
  arbitraryText,
  arbitraryWellFormedText,
} from '../../../test/support/arbitrary-json.js';
import {
  isRequestId,
  parseJson,
  ProtocolError,
  stringifyAndKeep,
  stringifyJson,
  toMessage,
  writeError,
  writeNotification,
  writeRequest,
  writeResult,
  type RequestId,
} from './index.js';

const id: fc.Arbitrary<RequestId> = fc
  .oneof(fc.maxSafeInteger(), arbitraryWellFormedText(20), fc.constantFrom('', '"', '\\', '\n'))
  .filter(isRequestId);
const method = arbitraryText(40).filter((text) => text !== '');

describe('what is written is read again', () => {
  test('requests', () => {
    fc.assert(
      fc.property(id, method, fc.option(arbitraryObject(), { nil: undefined }), (anId, aMethod, params) => {
        const text = writeRequest(anId, aMethod, params);
        const message = toMessage(parseJson(text));
        expect(message).toMatchObject({ kind: 'request', id: anId, method: aMethod });
        expect(JSON.stringify(message.kind === 'request' && message.params)).toBe(JSON.stringify(params));
        expect(text).not.toMatch(/[\n\r]/);
      }),
    );
  });

  test('requests whose arguments were written before', () => {
    fc.assert(
      fc.property(arbitraryObject(), arbitraryObject(), (args, others) => {
        stringifyAndKeep(args);
        const params = { ...others, arguments: args };
        const { params: written } = JSON.parse(writeRequest(1, 'tools/call', params)) as { params: unknown };
        expect(written).toEqual(JSON.parse(stringifyJson(params)));
      }),
    );
  });

  test('requests whose params get a member more', () => {
    fc.assert(
      fc.property(fc.option(arbitraryObject(), { nil: undefined }), fc.boolean(), (others, isKept) => {
        const args = { a: 1 };
        if (isKept) stringifyAndKeep(args);
        const params = others && { ...others, ...(isKept && { arguments: args }) };
        const before = stringifyJson(params);
        const { params: written } = JSON.parse(writeRequest(1, 'x', params, '"more":{"b":2}')) as {
          params: unknown;
        };
        expect(written).toEqual({ ...(JSON.parse(before) as object | null), more: { b: 2 } });
        expect(stringifyJson(params)).toBe(before);
      }),
    );
  });

  test('notifications', () => {
    fc.assert(
      fc.property(method, fc.option(arbitraryObject(), { nil: undefined }), (aMethod, params) => {
        const message = toMessage(parseJson(writeNotification(aMethod, params)));
        expect(message).toMatchObject({ kind: 'notification', method: aMethod });
        expect(JSON.stringify(message.kind === 'notification' && message.params)).toBe(
          JSON.stringify(params),
        );
      }),
    );
  });

  test('results', () => {
    fc.assert(
      fc.property(id, arbitraryJson(), (anId, result) => {
        const message = toMessage(parseJson(writeResult(anId, stringifyJson(result))));
        expect(message).toMatchObject({ kind: 'result', id: anId });
        expect(JSON.stringify(message.kind === 'result' && message.result)).toBe(JSON.stringify(result));
      }),
    );
  });

  test('errors', () => {
    fc.assert(
      fc.property(fc.option(id), fc.integer(), fc.string(), arbitraryJson(), (anId, code, text, data) => {
        const error = new ProtocolError(code, text, data).toErrorObject();
        const message = toMessage(parseJson(writeError(anId, error)));
        expect(message).toMatchObject({
          kind: 'error',
          id: anId ?? undefined,
          error: { code, message: text },
        });
        expect(JSON.stringify(message.kind === 'error' && message.error.data)).toBe(JSON.stringify(data));
      }),
    );
  });
});

test('the exact form of each message', () => {
  const error = new ProtocolError(-32601, 'no').toErrorObject();
  expect(writeRequest(0, 'ping')).toBe('{"jsonrpc":"2.0","id":0,"method":"ping"}');
  expect(writeRequest('0', 'x', {})).toBe('{"jsonrpc":"2.0","id":"0","method":"x","params":{}}');
  expect(writeNotification('n')).toBe('{"jsonrpc":"2.0","method":"n"}');
  expect(writeResult(-7, '{"a":9007199254740993}')).toBe(
    '{"jsonrpc":"2.0","id":-7,"result":{"a":9007199254740993}}',
  );
  expect(writeError(1, error)).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}');
  expect(writeError(null, error)).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}');
  expect(writeError(undefined, error)).toBe('{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}');
});

test('J-12: digits of arguments are passed on', () => {
  const message = toMessage(
    parseJson('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":9007199254740993,"big":1e400}}'),
  );
  if (message.kind !== 'request') throw new Error('not a request');
  expect(writeRequest(2, message.method, message.params)).toBe(
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"n":9007199254740993,"big":1e400}}',
  );
});

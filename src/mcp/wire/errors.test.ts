import { expect, test } from 'vitest';
import type { ErrorObject, Json } from '../jsonrpc/index.js';
import {
  headerMismatch,
  missingCapability,
  statusOfModernRejection,
  toLegacyError,
  toModernError,
  unsupportedRevision,
} from './index.js';

function error(code: number, data?: Json): ErrorObject {
  return { code, message: 'm', ...(data !== undefined && { data }) };
}

test('the errors of the modern era', () => {
  expect(headerMismatch('m').toErrorObject()).toEqual({ code: -32020, message: 'm' });
  expect(missingCapability('m', { elicitation: { url: {} } }).toErrorObject()).toEqual({
    code: -32021,
    message: 'm',
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
  expect(unsupportedRevision('2031-01-01').toErrorObject()).toEqual({
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: ['2026-07-28'], requested: '2031-01-01' },
  });
});

test.each([
  [-32700, 400],
  [-32600, 400],
  [-32601, 404],
  [-32602, 400],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
])('%i is told with status %i', (code, status) => {
  expect(statusOfModernRejection(code)).toBe(status);
});

test.each([
  [-32002, -32602],
  [-32042, -32603],
  [-32023, -32603],
  [-32099, -32603],
  [-32020, -32020],
  [-32021, -32021],
  [-32022, -32022],
  [-32019, -32019],
  [-32100, -32100],
  [-32602, -32602],
  [-32000, -32000],
  [-1, -1],
  [7, 7],
])('S52: a modern client gets %i as %i', (code, shown) => {
  expect(toModernError(error(code, { uri: 'u' }))).toEqual({ code: shown, message: 'm', data: { uri: 'u' } });
});

test('a legacy client hears of missing resources by their own code', () => {
  expect(toLegacyError('resources/read', error(-32602, { uri: 'u' }))).toEqual(error(-32002, { uri: 'u' }));
  // Ambiguous: it may be about the params.
  for (const data of [undefined, {}, { uri: 7 }, 'u', ['u']]) {
    expect(toLegacyError('resources/read', error(-32602, data)).code).toBe(-32602);
  }
  expect(toLegacyError('tools/call', error(-32602, { uri: 'u' })).code).toBe(-32602);
});

test.each([-32020, -32021, -32022])('%i means nothing to a legacy client', (code) => {
  expect(toLegacyError('tools/call', error(code, { requiredCapabilities: {} }))).toEqual(error(-32603));
});

test.each([-32042, -32002, -32601, -32000, -1, 7])('%i passes to a legacy client', (code) => {
  expect(toLegacyError('tools/call', error(code, { a: 1 }))).toEqual(error(code, { a: 1 }));
});

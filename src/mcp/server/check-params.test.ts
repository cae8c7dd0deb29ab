import { expect, test } from 'vitest';
import { ProtocolError } from '../jsonrpc/index.js';
import { checkParams } from './check-params.js';

const REF = { type: 'ref/prompt', name: 'p' };
const ARGUMENT = { name: 'a', value: '' };

test.each([
  ['tools/call', { name: 'a' }, true],
  ['tools/call', { name: 'a', arguments: {} }, true],
  ['tools/call', undefined, false],
  ['tools/call', { name: 1 }, false],
  ['tools/call', { name: '' }, false],
  ['tools/call', { name: 'a', arguments: null }, false],
  ['tools/call', { name: 'a', arguments: 1 }, false],
  ['tools/call', { name: 'a', arguments: { n: 1 } }, true],
  ['prompts/get', { name: 'a', arguments: true }, false],
  ['prompts/get', { name: 'a', arguments: { who: 'x' } }, true],
  ['prompts/get', { name: 'a', arguments: { who: 'x', n: 1 } }, false],
  ['prompts/get', { name: 'a', arguments: { who: null } }, false],
  ['resources/read', { uri: 'a:b' }, true],
  ['resources/read', { uri: 1 }, false],
  ['resources/subscribe', {}, false],
  ['resources/unsubscribe', { uri: 'a:b' }, true],
  ['tools/list', undefined, true],
  ['tools/list', { cursor: '' }, true],
  ['prompts/list', { cursor: 1 }, false],
  ['resources/list', { cursor: null }, false],
  ['resources/templates/list', { cursor: 'x'.repeat(8192) }, true],
  ['resources/templates/list', { cursor: 'x'.repeat(8193) }, false],
  ['completion/complete', { ref: REF, argument: ARGUMENT }, true],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'a:{b}' }, argument: ARGUMENT }, true],
  ['completion/complete', { ref: { type: 'ref/resource', name: 'x' }, argument: ARGUMENT }, false],
  ['completion/complete', { ref: REF, argument: ARGUMENT, context: { arguments: { b: 'x' } } }, true],
  ['completion/complete', { ref: REF, argument: ARGUMENT, context: {} }, true],
  ['completion/complete', { ref: REF, argument: ARGUMENT, context: 'x' }, false],
  ['completion/complete', { ref: REF, argument: ARGUMENT, context: { arguments: { b: 1 } } }, false],
  ['completion/complete', { ref: REF, argument: ARGUMENT, context: { arguments: [] } }, false],
  ['completion/complete', { ref: REF }, false],
  ['completion/complete', { ref: REF, argument: { name: 'a' } }, false],
  ['tasks/get', {}, false],
  ['tasks/cancel', { taskId: 't' }, true],
  ['unknown/method', { anything: 1 }, true],
])('%s %o', (method, params, fine) => {
  const check = (): void => checkParams(method, params);
  if (fine) expect(check).not.toThrow();
  else expect(check).toThrow(ProtocolError);
});

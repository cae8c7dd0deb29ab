import { expect, test } from 'vitest';
import { createMcpServer } from './mcp-server.js';
import { isOffered, OWN_METHODS } from './offered-methods.js';

test.each([
  ['tools/call', { tools: {} }, true],
  ['tools/call', { prompts: {} }, false],
  ['prompts/get', { prompts: {} }, true],
  ['resources/read', {}, false],
  ['resources/templates/list', { resources: {} }, true],
  ['completion/complete', { completions: {} }, true],
  ['completion/complete', {}, false],
  ['tasks/get', { extensions: { 'io.modelcontextprotocol/tasks': {} } }, true],
  ['tasks/get', { extensions: {} }, false],
  ['skills/list', {}, true],
  ['toString', {}, true],
])('%s with %o', (method, capabilities, offered) => {
  expect(isOffered(method, capabilities)).toBe(offered);
});

test.each([...OWN_METHODS])('%s cannot be taken over', (method) => {
  const describe = { info: { name: 'x', version: '1' }, capabilities: {} };
  expect(() => createMcpServer({ describe, handlers: { [method]: () => ({}) } })).toThrow(TypeError);
});

import { expect, test } from 'vitest';
import { entryOf, EVERYTHING_PERMITTED } from '../../test/support/catalog-examples.js';
import { buildSurface, type Permits } from '../catalog/index.js';
import type { McpRequest } from '../mcp/server/index.js';
import { createMcpHandlers, type McpOperations } from './mcp-handlers.js';

test('to ask for a task of one tool nobody decides about all others', async () => {
  const asked: string[] = [];
  const permits: Permits = { ...EVERYTHING_PERMITTED, tool: (_entry, { name }) => asked.push(name) > 0 };
  const names = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  const scope = { kind: 'all' } as const;
  const surface = buildSurface([entryOf('db', { tools: names })], scope, permits);
  // Nothing else of both is used.
  const operations = { surfaces: { surfaceFor: () => surface } } as unknown as McpOperations;
  const request = {
    params: { name: 'db__t7' },
    tasks: { wanted: true },
    client: { capabilities: {} },
  } as unknown as McpRequest;
  const handlers = createMcpHandlers(operations, scope, () => ({}) as never);
  await expect((async () => handlers['tools/call']?.(request))()).rejects.toThrow(
    'cannot be called as a task',
  );
  expect(asked).toEqual(['t7']);
});

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/index.js';
import { readPrompt, readResource, readResourceTemplate, readTool } from './read-offers.js';

/** Clients refuse a whole list for one member that is not what the protocol says. */

const SCHEMA = { inputSchema: { type: 'object' } };
const ICON = { src: 'https://x/1', sizes: ['48x48'], theme: 'dark', mimeType: 'image/png' };
const dated = (lastModified: string): JsonObject => ({ annotations: { lastModified } });

describe('C45: only what is wrong is left out', () => {
  test.each<readonly [given: JsonObject, kept: JsonObject]>([
    [
      { title: 5, description: {}, _meta: 'x', icons: {}, annotations: [], execution: 'x', own: 5 },
      { own: 5 },
    ],
    [{ title: null, outputSchema: null, own: null }, { own: null }],
    [
      { annotations: { readOnlyHint: 'yes', title: 3, idempotentHint: true, own: 'x' } },
      { annotations: { idempotentHint: true, own: 'x' } },
    ],
    [{ execution: { taskSupport: 'maybe', own: 1 } }, { execution: { own: 1 } }],
    [
      { icons: [7, { sr: 'x' }, { src: 'https://x/1', sizes: '48x48', theme: 'pink', mimeType: 1, own: 1 }] },
      { icons: [{ src: 'https://x/1', own: 1 }] },
    ],
    [
      { icons: [ICON], _meta: { a: 1 } },
      { icons: [ICON], _meta: { a: 1 } },
    ],
    [{ outputSchema: { $schema: 5, type: 'array' } }, { outputSchema: { type: 'array' } }],
    [{ inputSchema: { $schema: null, type: 'object' } }, SCHEMA],
    [{ inputSchema: { required: ['a'] } }, { inputSchema: { type: 'object', required: ['a'] } }],
  ])('of a tool %j', (given, kept) => {
    expect(readTool({ name: 'a', ...SCHEMA, ...given })).toEqual({ name: 'a', ...SCHEMA, ...kept });
  });

  test.each<readonly [given: JsonObject, kept: JsonObject]>([
    [{ mimeType: 1, size: '5', title: 1, annotations: 'x', _meta: 1 }, {}],
    [
      { size: 5, mimeType: 'a/b' },
      { size: 5, mimeType: 'a/b' },
    ],
    [{ annotations: { audience: ['robot', 'user'], priority: 7 } }, { annotations: { audience: ['user'] } }],
    [{ annotations: { audience: 'user', priority: 'high', lastModified: 5 } }, { annotations: {} }],
    [{ annotations: { priority: 0 } }, { annotations: { priority: 0 } }],
    ...['2025-01-12', '2025-01-12T15:00:58', '2025-02-30T00:00:00Z', '2025-13-01T00:00:00Z'].map(
      (moment) => [dated(moment), { annotations: {} }] as const,
    ),
    ...['2025-01-12T15:00:58Z', '2025-01-12T15:00:58.123456+02:00', '2024-02-29T23:59-11:30'].map(
      (moment) => [dated(moment), dated(moment)] as const,
    ),
  ])('of a resource %j', (given, kept) => {
    expect(readResource({ uri: 'x:1', name: 'r', ...given })).toEqual({ uri: 'x:1', name: 'r', ...kept });
    expect(readResourceTemplate({ uriTemplate: 'x:{y}', name: 'r', ...given })).toEqual({
      uriTemplate: 'x:{y}',
      name: 'r',
      ...kept,
    });
  });

  test('of a prompt and its arguments, which have names', () => {
    const bad = { name: 'x', title: 1, description: 2, required: 'yes', own: 3 };
    const good = { name: 'y', required: true };
    expect(readPrompt({ name: 'a', description: 5, arguments: [bad, good] })).toEqual({
      name: 'a',
      arguments: [{ name: 'x', own: 3 }, good],
    });
    expect(readPrompt({ name: 'b', arguments: [{ description: 'of what?' }] })).toBe(
      'arguments must have names',
    );
  });

  test('what is well-formed stays the same object', () => {
    const tool = { name: 'a', ...SCHEMA, icons: [ICON], annotations: { title: 'A' }, own: [null] };
    expect(readTool(tool)).toBe(tool);
  });
});

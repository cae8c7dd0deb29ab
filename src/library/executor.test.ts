import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { McpClient } from '../mcp/client/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { CallResult, ContentBlock } from '../mcp/model/index.js';
import { createExecutor, type Envelope, type ExecutorOptions } from './executor.js';
import type { ToolSnapshot } from './tool-snapshot.js';

/** An executor whose only tool answers with this. */
function executorOf(result: CallResult | Error, options?: ExecutorOptions) {
  const sent: unknown[] = [];
  const client = {
    callTool: async (_name: string, args: JsonObject) => {
      sent.push(args);
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    },
  } as unknown as McpClient;
  const snapshot = {
    mapping: new Map([['t', { source: 's', tool: 'tool' }]]),
    clients: new Map([['s', client]]),
  } as unknown as ToolSnapshot;
  const execute = createExecutor(snapshot, options);
  return { sent, execute: (args: unknown): Promise<Envelope> => execute('t', args as JsonObject) };
}

const text = fc.string({ maxLength: 400, unit: 'grapheme' });
const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  text.map((value) => ({ type: 'text', text: value })),
  fc.base64String({ maxLength: 800 }).map((data) => ({ type: 'image', mimeType: 'image/png', data })),
  text.map((uri) => ({ type: 'resource_link', uri, name: 'link' })),
);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

describe('the envelope', () => {
  test('never holds more than allowed in any of its parts, and says when something is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 6 }),
        fc.option(fc.jsonValue(), { nil: undefined }),
        fc.integer({ min: 200, max: 2_000 }),
        async (content, structured, maxBytes) => {
          const result = {
            content,
            ...(structured !== undefined && { structuredContent: structured as never }),
          };
          const { data, warnings, ok } = await executorOf(result, { maxBytes }).execute({});
          expect(ok).toBe(true);
          expect(bytesOf(data.content)).toBeLessThanOrEqual(maxBytes + 2);
          expect(Buffer.byteLength(data.text)).toBeLessThanOrEqual(maxBytes);
          if (data.structuredContent !== undefined)
            expect(bytesOf(data.structuredContent)).toBeLessThanOrEqual(maxBytes);
          const isWhole =
            bytesOf(data.content) === bytesOf(content) &&
            bytesOf(data.structuredContent ?? null) === bytesOf(structured ?? null);
          if (!isWhole) expect(warnings.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  test('structured content that is too deep is left out', async () => {
    const { data, warnings } = await executorOf(
      { content: [], structuredContent: { a: { b: {} } } },
      { maxDepth: 2 },
    ).execute({});
    expect([data.structuredContent, data.text]).toEqual([undefined, '']);
    expect(warnings).toMatchObject([{ code: 'TOOL_OUTPUT_TOO_LARGE' }]);
  });

  test('structured content is not repeated where the text would grow too long', async () => {
    const structuredContent = { a: 'x'.repeat(150) };
    const { data, warnings } = await executorOf(
      { content: [{ type: 'text', text: 'y'.repeat(150) }], structuredContent },
      { maxBytes: 250 },
    ).execute({});
    expect(data).toMatchObject({ text: 'y'.repeat(150), structuredContent });
    expect(warnings).toHaveLength(1);
  });
});

test('a limit that is given as undefined is as by default, and one that makes no sense is refused', async () => {
  const content = [{ type: 'text', text: 'x'.repeat(300_000) }];
  const { execute } = executorOf({ content }, { maxBytes: undefined, maxDepth: undefined });
  const given = await execute({ a: {} });
  expect(given).toEqual(await executorOf({ content }).execute({ a: {} }));
  expect(given.warnings).toHaveLength(1);
  for (const maxBytes of [Number.NaN, 0, -1])
    expect(() => executorOf({ content }, { maxBytes })).toThrow(RangeError);
});

describe('whatever happens', () => {
  test('a name that is no text is an unknown tool', async () => {
    const execute = createExecutor({ mapping: new Map() } as unknown as ToolSnapshot);
    expect(await execute(undefined as never, {})).toMatchObject({ errors: [{ code: 'UNKNOWN_TOOL' }] });
  });

  test('nothing is thrown, and what was sent is what was given', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true }), fc.json(), fc.string()),
        async (args) => {
          const { sent, execute } = executorOf({ content: [] });
          const { ok, errors } = await execute(args);
          expect(ok).toBe(errors.length === 0);
          expect(sent).toHaveLength(ok ? 1 : 0);
        },
      ),
    );
  });

  test.each<readonly [string, Error, string]>([
    [
      'a fault of the wire',
      Object.assign(new Error('x'), { code: 'HTTP_BODY_TOO_LARGE' }),
      'HTTP_BODY_TOO_LARGE',
    ],
    ['a lost session', Object.assign(new Error('x'), { code: 'session_lost' }), 'MCP_SESSION_NOT_FOUND'],
    ['a time-out', Object.assign(new Error('x'), { code: 'timeout' }), 'TIMEOUT'],
    ['an error of the server', Object.assign(new Error('x'), { code: -32_602 }), 'RPC_-32602'],
    ['a bug', new Error('x'), 'RPC_ERROR'],
  ])('%s has a code', async (_what, error, code) => {
    expect(await executorOf(error).execute({})).toMatchObject({
      ok: false,
      data: { text: 'x' },
      errors: [{ code, message: 'x' }],
    });
  });
});

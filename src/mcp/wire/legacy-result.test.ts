import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryObject } from '../../../test/support/arbitrary-json.js';
import { parseJson, stringifyJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import { LEGACY_REVISIONS, META_SERVER_INFO, toLegacyResult, type LegacyRevision } from './index.js';

const NEWEST = '2025-11-25';

function toolOf(tool: JsonObject): JsonObject {
  const { tools } = toLegacyResult(
    'tools/list',
    { tools: [{ name: 't', inputSchema: {}, ...tool }] },
    NEWEST,
  );
  return (tools as JsonObject[])[0]!;
}

describe('every result', () => {
  test.each(['tools/list', 'tools/call', 'prompts/get', 'resources/read', 'completion/complete'])(
    '%s loses what only the modern era has',
    (method) => {
      const result = {
        resultType: 'complete',
        ttlMs: 5,
        cacheScope: 'public',
        kept: { ttlMs: 1 },
        _meta: { [META_SERVER_INFO]: { name: 'x', version: '1' }, 'com.vendor/x': 1 },
      };
      const expected = { kept: { ttlMs: 1 }, _meta: { 'com.vendor/x': 1 } };
      expect(toLegacyResult(method, result, NEWEST)).toEqual(expected);
    },
  );

  test('what a method of an extension says about keeping its result is its own', () => {
    const hints = { ttlMs: 5, cacheScope: 'public' };
    expect(toLegacyResult('skills/list', { resultType: 'complete', ...hints }, NEWEST)).toEqual(hints);
  });

  test('a _meta that named only the server goes with it, another stays', () => {
    expect(toLegacyResult('ping', { _meta: { [META_SERVER_INFO]: {} } }, NEWEST)).toEqual({});
    expect(toLegacyResult('ping', { _meta: {} }, NEWEST)).toEqual({ _meta: {} });
  });

  test('any other member is kept, __proto__ included', () => {
    fc.assert(
      fc.property(arbitraryObject(), fc.constantFrom(...LEGACY_REVISIONS), (result, revision) => {
        const { structuredContent: _, ...rest } = result;
        for (const method of ['tools/list', 'tools/call', 'prompts/get', 'x']) {
          expect(JSON.stringify(toLegacyResult(method, rest, revision))).toBe(JSON.stringify(rest));
        }
      }),
    );
  });
});

describe('tools', () => {
  test('members other than schemas pass unchanged', () => {
    const tool = { name: 't', title: 'T', icons: [], annotations: { readOnlyHint: true }, _meta: { a: 1 } };
    expect(toolOf(tool)).toEqual({ ...tool, inputSchema: {} });
  });

  test('B6: schemas of properties that are true or false become objects that say the same', () => {
    const properties = { any: true, none: false, some: { type: 'string' } };
    const old = { any: {}, none: { not: {} }, some: { type: 'string' } };
    const schema = { type: 'object', properties };
    const tool = toolOf({ inputSchema: schema, outputSchema: schema });
    expect(tool['inputSchema']).toEqual({ type: 'object', properties: old });
    expect(tool['outputSchema']).toEqual({ type: 'object', properties: old });
  });

  test('header annotations are taken out of the input schema', () => {
    const inputSchema = { type: 'object', properties: { site: { type: 'string', 'x-mcp-header': 'Site' } } };
    expect(toolOf({ inputSchema })['inputSchema']).toEqual({
      type: 'object',
      properties: { site: { type: 'string' } },
    });
  });

  test('an output schema with an object at its root passes unchanged', () => {
    const outputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } };
    expect(toolOf({ outputSchema })['outputSchema']).toEqual(outputSchema);
  });

  test.each<[string, Json]>([
    ['several types', { type: ['object', 'null'] }],
    ['no type', { anyOf: [{ type: 'string' }, { type: 'object' }] }],
    ['empty', {}],
  ])('one that may be an object or not is left out: %s', (_name, outputSchema) => {
    expect(toolOf({ outputSchema })).not.toHaveProperty('outputSchema');
  });

  test('lists that are none and tools that are none pass unchanged', () => {
    expect(toLegacyResult('tools/list', { tools: 'x' }, NEWEST)).toEqual({ tools: 'x' });
    expect(toLegacyResult('tools/list', { tools: [null, 7] }, NEWEST)).toEqual({ tools: [null, 7] });
    expect(toLegacyResult('tools/list', {}, NEWEST)).toEqual({});
  });
});

describe('output schemas and their content are wrapped alike', () => {
  const tree = { type: 'array', items: { anyOf: [{ type: 'integer' }, { $ref: '#' }] } };
  const cases: readonly [name: string, schema: JsonObject, good: Json, bad: Json][] = [
    ['array', { type: 'array', items: { type: 'integer' } }, [1, 2], [1, 'a']],
    ['string', { type: 'string', minLength: 2 }, 'ab', 'a'],
    ['number', { type: 'number' }, 1.5, 'a'],
    ['boolean', { type: 'boolean' }, false, 0],
    ['null', { type: 'null' }, null, 0],
    ['recursion to the root', tree, [1, [2, [3]]], [1, [2, ['a']]]],
    [
      'definitions',
      { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'integer' } } },
      [1],
      ['a'],
    ],
    [
      'definitions that refer to each other',
      {
        type: 'array',
        items: { $ref: '#/definitions/a' },
        definitions: { a: { type: 'array', items: { $ref: '#/definitions/b' } }, b: { const: 5 } },
      },
      [[5]],
      [[6]],
    ],
    [
      'a pointer to a place inside',
      { type: 'array', prefixItems: [{ type: 'integer' }, { $ref: '#/prefixItems/0' }] },
      [1, 2],
      [1, 'a'],
    ],
    [
      'a definition named like a keyword',
      {
        type: 'array',
        items: { $ref: '#/$defs/const' },
        $defs: { const: { $ref: '#/$defs/x' }, x: { type: 'integer' } },
      },
      [1],
      ['a'],
    ],
    [
      'data that look like references',
      { type: 'array', items: { enum: [{ $ref: '#' }, { $ref: '#/$defs/x' }] } },
      [{ $ref: '#' }, { $ref: '#/$defs/x' }],
      [{ $ref: '#/properties/result' }],
    ],
    [
      'an anchor',
      { type: 'array', items: { $ref: '#n' }, $defs: { n: { $anchor: 'n', type: 'integer' } } },
      [1],
      ['a'],
    ],
    [
      'an address of its own',
      {
        $id: 'https://example.com/list',
        type: 'array',
        items: { $ref: '#/$defs/n' },
        $defs: { n: { type: 'integer' } },
      },
      [1],
      ['a'],
    ],
    [
      'an address of its own below',
      {
        type: 'array',
        items: { $ref: '#/$defs/n' },
        $defs: {
          n: {
            $id: 'https://example.com/n',
            type: 'array',
            items: { $ref: '#/$defs/m' },
            $defs: { m: { type: 'integer' } },
          },
        },
      },
      [[1]],
      [['a']],
    ],
    ['a dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...tree }, [[1]], [['a']]],
    [
      'recursion as 2019-09 has it',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        type: 'array',
        items: { anyOf: [{ type: 'integer' }, { $recursiveRef: '#' }] },
      },
      [1, [2]],
      [1, ['a']],
    ],
  ];

  test.each(cases)('%s', (_name, schema, good, bad) => {
    const outputSchema = toolOf({ outputSchema: schema })['outputSchema'] as JsonObject;
    expect(outputSchema['type']).toBe('object');
    expect(outputSchema['$schema']).toBe(schema['$schema']);
    const validate = new AjvJsonSchemaValidator().getValidator(outputSchema);
    for (const [value, valid] of [
      [good, true],
      [bad, false],
    ] as const) {
      const { structuredContent } = toLegacyResult(
        'tools/call',
        { content: [], structuredContent: value },
        NEWEST,
      );
      expect(validate(structuredContent).valid).toBe(valid);
    }
  });

  test('an object stays as it is', () => {
    const result = { content: [], structuredContent: { a: 1 } };
    expect(toLegacyResult('tools/call', result, NEWEST)).toEqual(result);
  });

  test('a number without a double is wrapped like any other', () => {
    const result = parseJson('{"content":[],"structuredContent":9007199254740993}') as JsonObject;
    expect(stringifyJson(toLegacyResult('tools/call', result, NEWEST))).toBe(
      '{"content":[{"type":"text","text":"9007199254740993"}],"structuredContent":{"result":9007199254740993}}',
    );
  });

  test.each<[string, Json | undefined, Json]>([
    ['no content', undefined, [{ type: 'text', text: '[1]' }]],
    ['empty content', [], [{ type: 'text', text: '[1]' }]],
    ['no text', [{ type: 'image' }], [{ type: 'image' }, { type: 'text', text: '[1]' }]],
    ['a text', [{ type: 'text', text: 'one' }], [{ type: 'text', text: 'one' }]],
  ])('a text with the value is there: %s', (_name, content, expected) => {
    const result = { ...(content !== undefined && { content }), structuredContent: [1] };
    expect(toLegacyResult('tools/call', result, NEWEST)).toEqual({
      content: expected,
      structuredContent: { result: [1] },
    });
  });

  test('a link that became a text does not stand for the value', () => {
    const result = { content: [{ type: 'resource_link', uri: 'u', name: 'n' }], structuredContent: 1 };
    expect(toLegacyResult('tools/call', result, '2025-03-26')['content']).toEqual([
      { type: 'text', text: 'n: u' },
      { type: 'text', text: '1' },
    ]);
  });
});

describe('blocks', () => {
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' };
  const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' };
  const text = { type: 'text', text: 'x' };
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const embedded = { type: 'resource', resource: { uri: 'u', text: '' } };
  const linkText = { type: 'text', text: 'a: file:///a' };
  const audioText = { type: 'text', text: '[audio, audio/wav]' };

  test.each<[LegacyRevision, Json, Json]>([
    ['2025-11-25', link, audio],
    ['2025-06-18', link, audio],
    ['2025-03-26', linkText, audio],
    ['2024-11-05', linkText, audioText],
  ])('%s', (revision, expectedLink, expectedAudio) => {
    const content = [text, image, embedded, link, audio, null, { type: 'later' }];
    const expected = [text, image, embedded, expectedLink, expectedAudio, null, { type: 'later' }];
    expect(toLegacyResult('tools/call', { content }, revision)).toEqual({ content: expected });
    const messages = content.map((block) => ({ role: 'user', content: block }));
    expect(toLegacyResult('prompts/get', { messages }, revision)).toEqual({
      messages: expected.map((block) => ({ role: 'user', content: block })),
    });
  });

  test('blocks with holes are described all the same', () => {
    const content = [{ type: 'resource_link' }, { type: 'audio', mimeType: 7 }];
    expect(toLegacyResult('tools/call', { content }, '2024-11-05')['content']).toEqual([
      { type: 'text', text: 'resource: ' },
      { type: 'text', text: '[audio, unknown type]' },
    ]);
    expect(toLegacyResult('prompts/get', { messages: [7, {}] }, '2024-11-05')).toEqual({ messages: [7, {}] });
  });
});

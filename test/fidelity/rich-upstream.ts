import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import type { UpstreamScript } from '../support/scripted-upstream.js';

/** An upstream that uses every field there is, and some that nobody has heard of. */

const ICONS = [
  { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
];
const META = { 'vendor.example/key': { deep: [1, null, true] } };

const TOOLS = [
  {
    name: 'zeta',
    title: 'Zeta',
    description: 'Last by name, first in the list',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region', enum: ['eu', 'x-mcp-header'] },
        anything: true,
        size: { $ref: '#/$defs/size' },
      },
      $defs: { size: { type: 'integer', minimum: 0, default: 3 } },
      additionalProperties: { type: ['string', 'null', 'number', 'boolean', 'object', 'array'] },
      'x-unheard-of': { a: 1 },
    },
    outputSchema: { type: 'object', properties: { value: {} }, required: ['value'] },
    annotations: { title: 'Zeta!', readOnlyHint: true, openWorldHint: false, 'x-risk': 'none' },
    icons: ICONS,
    _meta: META,
    unheardOf: [{ a: {} }],
  },
  { name: 'alpha.beta', inputSchema: { type: 'object' } },
  { name: 'fails', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
];

const PROMPTS = [
  {
    name: 'summary',
    title: 'Summary',
    description: 'd',
    arguments: [{ name: 'text', title: 'Text', description: 'x', required: true }],
    icons: ICONS,
    _meta: META,
    unheardOf: 1,
  },
  { name: 'a.b', unheardOf: null },
];

const RESOURCES = [
  {
    uri: 'res://z',
    name: 'z',
    title: 'Z',
    description: 'd',
    mimeType: 'text/plain',
    size: 12,
    annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
    icons: ICONS,
    _meta: META,
    unheardOf: {},
  },
  { uri: 'res://a', name: 'a' },
];

const TEMPLATES = [
  {
    uriTemplate: 'tpl://{id}',
    name: 't',
    title: 'T',
    description: 'd',
    mimeType: 'text/plain',
    annotations: { priority: 1 },
    icons: ICONS,
    _meta: META,
    unheardOf: '',
  },
];

/** One block of every kind, with everything that can stand in it. */
const CONTENT = [
  {
    type: 'text',
    text: 'grüße \u0000 \u2028 🧪 "quoted"',
    annotations: { audience: ['assistant'], priority: 1 },
    _meta: META,
  },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', annotations: { priority: 0 } },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav', _meta: META },
  {
    type: 'resource_link',
    uri: 'res://a',
    name: 'a',
    title: 'A',
    description: 'd',
    mimeType: 'text/plain',
    size: 5,
    icons: ICONS,
  },
  { type: 'resource', resource: { uri: 'res://z', mimeType: 'text/plain', text: 'inside', _meta: META } },
  { type: 'resource', resource: { uri: 'res://blob', mimeType: 'application/octet-stream', blob: 'AAEC' } },
  { type: 'hologram', data: { unheard: 'of' } },
];

export const RICH_SCRIPT: UpstreamScript = {
  revision: '2025-11-25',
  pageSize: 2,
  sse: true,
  tools: TOOLS,
  prompts: PROMPTS,
  resources: RESOURCES,
  templates: TEMPLATES,
  capabilities: { completions: {} },
  call: (name, args) => {
    if (name === 'fails') return { isError: true, content: [{ type: 'text', text: 'no' }], _meta: META };
    if (name === 'zeta')
      return {
        content: CONTENT,
        structuredContent: { value: [args, null, { deep: 1e-7 }] },
        _meta: META,
        unheardOf: [1, 2],
      };
    return { content: [] };
  },
  results: {
    'prompts/get': (params) => ({
      description: 'd',
      messages: CONTENT.slice(0, 6).map((content, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content,
      })),
      _meta: META,
      unheardOf: params['arguments'] ?? null,
    }),
    'resources/read': (params) => ({
      contents: [
        { uri: params['uri'], mimeType: 'text/plain', text: 'hello', _meta: META },
        { uri: `${String(params['uri'])}#part`, blob: 'AAEC', unheardOf: true },
      ],
      _meta: META,
    }),
    'completion/complete': (params) => ({
      completion: {
        values: ['one', JSON.stringify(params['argument'])],
        total: 7,
        hasMore: true,
        unheardOf: 0,
      },
      _meta: META,
    }),
  },
};

export const RICH_REQUESTS: readonly (readonly [string, JsonObject])[] = [
  [
    'tools/call',
    {
      name: 'zeta',
      arguments: { region: 'eu', size: 2, 'a b': null, nested: { list: [1, '2', { x: false }] } },
    },
  ],
  ['tools/call', { name: 'zeta' }],
  ['tools/call', { name: 'alpha.beta', arguments: {} }],
  ['tools/call', { name: 'fails', arguments: {} }],
  ['prompts/get', { name: 'summary', arguments: { text: 'ü\n' } }],
  ['prompts/get', { name: 'a.b' }],
  ['resources/read', { uri: 'res://z' }],
  ['resources/read', { uri: 'tpl://17' }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'summary' },
      argument: { name: 'text', value: 'x' },
      context: { arguments: { other: 'y' } },
    },
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'tpl://{id}' }, argument: { name: 'id', value: '' } },
  ],
];

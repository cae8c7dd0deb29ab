import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/mcp/client/index.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { EVERYTHING, serveEverything } from '../support/interop/everything-server.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startFixture } from '../support/start-fixture.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { RICH_REQUESTS, RICH_SCRIPT } from './rich-upstream.js';
import { addressed, rewritten, type Entrance } from './rewrites.js';

/** What an upstream says and what arrives through the hub are the same, apart from the declared rewrites. */

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;
type Request = readonly [method: string, params: JsonObject];

interface Subject {
  /** Asks the upstream itself. */
  readonly ask: Ask;
  readonly connector: object;
  close(): Promise<unknown>;
}

const CONNECTOR = 'up';
const ENTRANCES: readonly Entrance[] = (['aggregate', 'connector'] as const).flatMap((endpoint) =>
  (['legacy', 'modern'] as const).map((era) => ({ endpoint, era })),
);

/** Of a list all pages, as one. */
const asking =
  (agent: RawAgent): Ask =>
  async (method, params) => {
    const { message } = await agent.request(method, params);
    const { nextCursor, ...page } = (message?.['result'] ?? {}) as JsonObject;
    if (typeof nextCursor !== 'string') return message ?? {};
    const rest = await asking(agent)(method, { ...params, cursor: nextCursor });
    const more = rest['result'] as JsonObject;
    const joined = Object.entries(page).map(([key, value]) => [
      key,
      Array.isArray(value) ? [...value, ...(more[key] as JsonObject[])] : value,
    ]);
    return { result: Object.fromEntries(joined) as JsonObject };
  };

async function scripted(): Promise<Subject> {
  const upstream = await startUpstream(RICH_SCRIPT);
  return {
    ask: asking(await openRawAgent({ url: upstream.url, era: 'legacy' })),
    connector: { url: upstream.url },
    close: () => upstream.close(),
  };
}

/** Some servers offer more to clients that can be asked. The hub lists as one that can; roots are kept from processes that several callers share. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} } };

async function everythingOverHttp(): Promise<Subject> {
  const server = await serveEverything('streamableHttp');
  return {
    ask: asking(
      await openRawAgent({ url: server.url, era: 'legacy', capabilities: { ...ASKABLE, roots: {} } }),
    ),
    connector: { url: server.url },
    close: async () => server[Symbol.asyncDispose](),
  };
}

async function everythingOverStdio(): Promise<Subject> {
  const command = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const client = await connect({ info: { name: 'direct', version: '1' }, capabilities: ASKABLE, ...command });
  return {
    ask: async (method, params) => ({ result: await client.request(method, params) }),
    connector: command,
    close: () => client.close(),
  };
}

async function modernFixture(): Promise<Subject> {
  const server = await startFixture(['--era', 'modern']);
  return {
    ask: asking(await openRawAgent({ url: server.url, era: 'modern' })),
    connector: { url: server.url },
    close: () => server.close(),
  };
}

const LISTS: readonly Request[] = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
].map((method) => [method, {}]);
const call = (name: string, args: JsonObject = {}): Request => ['tools/call', { name, arguments: args }];
const EVERYTHING_REQUESTS: readonly Request[] = [
  ...LISTS,
  call('echo', { message: 'grüße 🧪' }),
  call('get-sum', { a: 1, b: 2.5 }),
  call('get-tiny-image'),
  call('get-annotated-message', { messageType: 'error', includeImage: true }),
  call('get-annotated-message', { messageType: 'debug' }),
  call('get-resource-links', { count: 4 }),
  call('get-structured-content', { location: 'Chicago' }),
  call('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
  ['prompts/get', { name: 'simple-prompt' }],
  ['prompts/get', { name: 'args-prompt', arguments: { city: 'Rome', state: 'x' } }],
  ['resources/read', { uri: 'demo://resource/static/document/features.md' }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } },
  ],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      argument: { name: 'resourceId', value: '1' },
    },
  ],
];

const FIXTURE_REQUESTS: readonly Request[] = [
  ...LISTS,
  ...[
    'test_simple_text',
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_error_handling',
  ].map((name) => call(name)),
  ['resources/read', { uri: 'test://static-text' }],
  ['resources/read', { uri: 'test://static-binary' }],
  ['resources/read', { uri: 'test://template/7/data' }],
  ['prompts/get', { name: 'test_simple_prompt' }],
  ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 't' },
    },
  ],
];

/** On a connector's own endpoint a modern client repeats annotated arguments in headers, as the schema told it. */
const paramHeaders = ({ endpoint, era }: Entrance, params: JsonObject): Record<string, string> => {
  const { region } = (params['arguments'] ?? {}) as { region?: string };
  return endpoint === 'connector' && era === 'modern' && region !== undefined
    ? { 'mcp-param-region': region }
    : {};
};

describe.each<readonly [string, () => Promise<Subject>, readonly Request[]]>([
  ['a scripted upstream', scripted, [...LISTS, ...RICH_REQUESTS]],
  ['a fixture of the modern era', modernFixture, FIXTURE_REQUESTS],
  ['server-everything over stdio', everythingOverStdio, EVERYTHING_REQUESTS],
  ['server-everything over HTTP', everythingOverHttp, EVERYTHING_REQUESTS],
])('%s', (_name, open, requests) => {
  let subject: Subject;
  let hub: TestHub;
  beforeAll(async () => {
    subject = await open();
    hub = await startTestHub({ config: { connectors: { [CONNECTOR]: subject.connector } } });
    await waitForSync(hub, CONNECTOR);
  });
  afterAll(async () => {
    await hub?.close();
    await subject?.close();
  });

  describe.each(ENTRANCES)('$endpoint endpoint, $era client', (entrance) => {
    let agent: RawAgent;
    beforeAll(async () => {
      const path = entrance.endpoint === 'aggregate' ? '/mcp' : `/connectors/${CONNECTOR}/mcp`;
      agent = await openRawAgent({ url: hub.url + path, key: hub.localKey, era: entrance.era });
    });

    test.each(requests)('%s %j', async (method, params) => {
      const direct = await subject.ask(method, params);
      const { message } = await agent.request(
        method,
        addressed(params, entrance, CONNECTOR),
        paramHeaders(entrance, params),
      );
      expect(direct['result'], JSON.stringify(direct)).toBeDefined();
      expect(message).toMatchObject({ jsonrpc: '2.0', result: {} });
      expect(message?.['result']).toEqual(
        rewritten(direct['result'] as JsonObject, entrance, method, CONNECTOR),
      );
    });
  });
});

import { join } from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { serveOwnHttp, type OwnHttp } from '../support/interop/own-server.js';

const INFO = { name: 'official-client', version: '1' };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const ACCEPTED = { action: 'accept' as const, content: { colour: 'blue', sure: true } };
const SAMPLED = {
  role: 'assistant' as const,
  model: 'none',
  content: { type: 'text' as const, text: 'Hello' },
};
const ROOTS = { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
const STDIO = {
  command: process.execPath,
  args: ['--import', 'tsx', join(ROOT, 'test', 'support', 'interop', 'own-stdio.ts')],
  cwd: ROOT,
};

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** What both official clients can do, under one face. */
interface OfficialClient {
  readonly heard: string[];
  readonly logs: unknown[];
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Record<string, unknown>>;
  tools(): Promise<readonly { readonly name: string }[]>;
  read(uri: string): Promise<readonly unknown[]>;
  prompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>;
  complete(value: string): Promise<readonly string[]>;
  listen(): Promise<unknown>;
  setLevel(): Promise<unknown>;
  close(): Promise<void>;
}

const REF = { type: 'ref/prompt' as const, name: 'greet' };

async function connectV1(transport: V1Http | V1Stdio): Promise<OfficialClient> {
  const client = new V1Client(INFO, { capabilities: CAPABILITIES });
  const heard: string[] = [];
  const logs: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => ACCEPTED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void logs.push(params.data),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method }) => void heard.push(method));
  await client.connect(transport);
  return {
    heard,
    logs,
    call: (name, args, options) =>
      client.callTool({ name, ...(args && { arguments: args }) }, undefined, options),
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (value) =>
      (await client.complete({ ref: REF, argument: { name: 'name', value } })).completion.values,
    listen: () => client.subscribeResource({ uri: 'memo://greeting' }),
    setLevel: () => client.setLoggingLevel('debug'),
    close: () => client.close(),
  };
}

async function connectV2(transport: V2Http | V2Stdio, era: 'legacy' | 'modern'): Promise<OfficialClient> {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: '2026-07-28' };
  const client = new V2Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  const meta: Record<string, string> = {};
  const heard: string[] = [];
  const logs: unknown[] = [];
  client.setRequestHandler('elicitation/create', () => ACCEPTED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ROOTS);
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => void heard.push(method));
  client.setNotificationHandler('notifications/resources/updated', ({ method }) => void heard.push(method));
  await client.connect(transport);
  expect(client.getProtocolEra()).toBe(era);
  return {
    heard,
    logs,
    call: (name, args, options) =>
      client.callTool({ name, ...(args && { arguments: args }), _meta: meta }, options),
    tools: async () => (await client.listTools()).tools,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (value) =>
      (await client.complete({ ref: REF, argument: { name: 'name', value } })).completion.values,
    listen: () =>
      era === 'legacy'
        ? client.subscribeResource({ uri: 'memo://greeting' })
        : client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://greeting'] }),
    setLevel: async () => {
      if (era === 'legacy') await client.setLoggingLevel('debug');
      else meta['io.modelcontextprotocol/logLevel'] = 'debug';
    },
    close: () => client.close(),
  };
}

function textOf(result: Record<string, unknown>): unknown {
  const [first] = result['content'] as readonly { readonly text?: unknown }[];
  return first?.text;
}

function defineSuite(connect: () => Promise<OfficialClient>, observed?: () => OwnHttp['observed']): void {
  let client: OfficialClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(async () => {
    await client.close();
  });

  test('lists, calls, reads, prompts and completes', async () => {
    expect((await client.tools()).map(({ name }) => name)).toContain('echo');
    expect(await client.call('echo', { message: 'Grüße' })).toMatchObject({
      structuredContent: { message: 'Grüße' },
    });
    expect(await client.read('memo://greeting')).toMatchObject([{ text: 'Hello' }]);
    expect(await client.prompt('greet', { name: 'Ada' })).toMatchObject([{ content: { text: 'Greet Ada' } }]);
    expect(await client.complete('A')).toEqual(['Ada', 'Alan']);
    await expect(client.read('nothing://here')).rejects.toThrow('Resource not found');
    const messages = Array.from({ length: 30 }, (_, index) => `m${index}`);
    const results = await Promise.all(messages.map((message) => client.call('echo', { message })));
    expect(results.map(textOf)).toEqual(messages);
  });

  test('receives progress and log messages', async () => {
    const progress: number[] = [];
    await client.setLevel();
    const onprogress = (update: { readonly progress: number }): void => void progress.push(update.progress);
    const call = client.call('progress', { hold: true }, { onprogress });
    await vi.waitFor(() => expect(progress).toEqual([1, 2, 3]), 5000);
    await vi.waitFor(() => expect(client.logs).toEqual(['step 1', 'step 2', 'step 3']), 5000);
    await client.call('release');
    expect(textOf(await call)).toBe('done');
  });

  test('is asked by the server', async () => {
    expect(JSON.parse(String(textOf(await client.call('ask'))))).toEqual(ACCEPTED);
    expect(JSON.parse(String(textOf(await client.call('sample'))))).toEqual(SAMPLED.content);
    expect(JSON.parse(String(textOf(await client.call('roots'))))).toEqual(ROOTS.roots);
  });

  test('hears of changes', async () => {
    await client.listen();
    await client.call('grow');
    await client.call('touch');
    await vi.waitFor(() => {
      expect(client.heard).toEqual(
        expect.arrayContaining(['notifications/tools/list_changed', 'notifications/resources/updated']),
      );
    }, 5000);
  });

  if (observed !== undefined) defineCancellation(() => client, observed);
}

function defineCancellation(current: () => OfficialClient, observed: () => OwnHttp['observed']): void {
  test('cancels a call', async () => {
    const client = current();
    const abort = new AbortController();
    const call = client.call('wait', {}, { signal: abort.signal });
    await client.call('echo', { message: 'the other one is under way' });
    abort.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    await observed().untilCancelled('wait');
  });
}

describe('over HTTP', () => {
  let served: OwnHttp;
  beforeAll(async () => {
    served = await serveOwnHttp();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
  });
  describe('SDK v1', () => {
    defineSuite(
      () => connectV1(new V1Http(new URL(served.url))),
      () => served.observed,
    );
  });
  describe.each(['legacy', 'modern'] as const)('SDK v2, %s era', (era) => {
    defineSuite(
      () => connectV2(new V2Http(new URL(served.url)), era),
      () => served.observed,
    );
  });
});

describe('over stdio', () => {
  describe('SDK v1', () => {
    defineSuite(() => connectV1(new V1Stdio(STDIO)));
  });
  describe.each(['legacy', 'modern'] as const)('SDK v2, %s era', (era) => {
    defineSuite(() => connectV2(new V2Stdio(STDIO), era));
  });
});

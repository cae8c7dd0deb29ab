import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  connect,
  type ClientOptions,
  type McpClient,
  type ServerAddress,
} from '../../../src/mcp/client/index.js';
import type { LogMessage, Progress } from '../../../src/mcp/model/index.js';
import type { Observed } from './served.js';

/** What a way of serving can do. */
export interface Features {
  readonly era: 'legacy' | 'modern';
  /** Whether messages can come before the answer. */
  readonly streams: boolean;
  /** Whether the server can ask the client. */
  readonly asks: boolean;
  /** Whether changes reach the client. */
  readonly changes: boolean;
}

export interface Target {
  readonly address: () => ServerAddress;
  readonly era: NonNullable<ClientOptions['era']>;
  readonly observed?: () => Observed;
  readonly features: Features;
}

const HANDLERS: ClientOptions['handlers'] = {
  elicitation: () => ({ action: 'accept', content: { colour: 'blue' } }),
  sampling: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello' } }),
  roots: () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }),
};

function textOf(result: { readonly content: readonly { readonly [key: string]: unknown }[] }): unknown {
  return result.content[0]?.['text'];
}

async function open(target: Target): Promise<McpClient> {
  const info = { name: 'crosspoint-test', version: '1' };
  return await connect({ info, era: target.era, handlers: HANDLERS, ...target.address() });
}

/** The same tests, with one client, for every server that offers what the interoperability servers offer. */
export function defineClientSuite(target: Target): void {
  const { features, observed } = target;
  let client: McpClient;
  beforeAll(async () => {
    client = await open(target);
  });
  afterAll(async () => {
    await client.close();
  });
  const current = (): McpClient => client;
  defineBasics(current, features.era);
  if (features.streams) defineStreams(current);
  if (features.asks) defineQuestions(current);
  if (observed !== undefined) defineCancellation(current, observed);
  if (features.changes) defineChanges(current);
}

function defineBasics(current: () => McpClient, era: 'legacy' | 'modern'): void {
  test('connects in the expected era and learns what the server is', async () => {
    const client = current();
    expect(client.server.era).toBe(era);
    expect(client.server.info.name).toMatch(/^sdk-v/);
    expect(client.server.instructions).toBe('For tests.');
    await client.ping();
  });

  test('lists everything', async () => {
    const client = current();
    const tools = await client.listTools();
    expect(tools.rejected).toEqual([]);
    expect(tools.items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'progress', 'ask', 'wait']),
    );
    expect(tools.items.find(({ name }) => name === 'echo')!.inputSchema).toMatchObject({
      required: ['message'],
    });
    expect((await client.listResources()).items).toMatchObject([{ uri: 'memo://greeting' }]);
    expect((await client.listResourceTemplates()).items).toMatchObject([
      { uriTemplate: 'memo://notes/{id}' },
    ]);
    expect((await client.listPrompts()).items).toMatchObject([
      { name: 'greet', arguments: [{ name: 'name' }] },
    ]);
  });

  test('calls, reads, prompts and completes', async () => {
    const client = current();
    const message = 'Grüße \u{1f600}\n"quoted"';
    expect(await client.callTool('echo', { message })).toMatchObject({
      content: [{ type: 'text', text: message }],
      structuredContent: { message },
    });
    expect((await client.readResource('memo://notes/7')).contents).toMatchObject([
      { uri: 'memo://notes/7', text: 'A note' },
    ]);
    expect((await client.getPrompt('greet', { name: 'Ada' })).messages).toMatchObject([
      { content: { text: 'Greet Ada' } },
    ]);
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'A' },
    });
    expect(completed.completion.values).toEqual(['Ada', 'Alan']);
  });

  test('many calls at once keep their own answers', async () => {
    const client = current();
    const messages = Array.from({ length: 40 }, (_, index) => `m${index}`);
    const results = await Promise.all(messages.map((message) => client.callTool('echo', { message })));
    expect(results.map(textOf)).toEqual(messages);
  });

  test('errors of the server arrive as such', async () => {
    const client = current();
    await expect(client.getPrompt('nobody')).rejects.toMatchObject({ name: 'ProtocolError' });
    await expect(client.readResource('nothing://here')).rejects.toMatchObject({ name: 'ProtocolError' });
    await expect(client.request('no/such/method', {})).rejects.toMatchObject({
      name: 'ProtocolError',
      code: -32601,
    });
    await expect(client.callTool('echo', { message: 5 })).resolves.toMatchObject({ isError: true });
  });
}

function defineStreams(current: () => McpClient): void {
  test('progress and log messages come with the call', async () => {
    const client = current();
    await client.setLogLevel('debug');
    const logs: LogMessage[] = [];
    const progress: Progress[] = [];
    const options = {
      onProgress: (update: Progress) => progress.push(update),
      onLog: (log: LogMessage) => logs.push(log),
      logLevel: 'debug' as const,
    };
    expect(textOf(await client.callTool('progress', {}, options))).toBe('done');
    expect(progress).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3 })));
    expect(logs.map(({ data }) => data)).toEqual(['step 1', 'step 2', 'step 3']);
  });
}

function defineQuestions(current: () => McpClient): void {
  test('answers what the server asks', async () => {
    const client = current();
    expect(JSON.parse(String(textOf(await client.callTool('ask'))))).toEqual({
      action: 'accept',
      content: { colour: 'blue', sure: true },
    });
    expect(JSON.parse(String(textOf(await client.callTool('sample'))))).toEqual({
      type: 'text',
      text: 'Hello',
    });
    expect(JSON.parse(String(textOf(await client.callTool('roots'))))).toEqual([
      { uri: 'file:///tmp', name: 'tmp' },
    ]);
  });
}

function defineCancellation(current: () => McpClient, observed: () => Observed): void {
  test('a call that is given up is cancelled at the server', async () => {
    const client = current();
    const abort = new AbortController();
    const call = client.callTool('wait', {}, { signal: abort.signal });
    await client.callTool('echo', { message: 'the other one is under way' });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await observed().untilCancelled('wait');
    expect(textOf(await client.callTool('echo', { message: 'still here' }))).toBe('still here');
  });
}

function defineChanges(current: () => McpClient): void {
  test('hears of changed lists and resources', async () => {
    const client = current();
    const heard: string[] = [];
    let wake: (() => void) | undefined;
    const filter = { toolsListChanged: true, resourceSubscriptions: ['memo://greeting'] };
    using subscription = await client.subscribe(filter, ({ method }) => {
      heard.push(method);
      wake?.();
    });
    expect(subscription.honoured).toEqual(filter);
    await client.callTool('grow');
    await client.callTool('touch');
    while (
      !heard.includes('notifications/tools/list_changed') ||
      !heard.includes('notifications/resources/updated')
    ) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  });
}

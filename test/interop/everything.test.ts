import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  connect,
  type ClientOptions,
  type McpClient,
  type ServerAddress,
} from '../../src/mcp/client/index.js';
import type { Progress } from '../../src/mcp/model/index.js';
import { EVERYTHING, serveEverything } from '../support/interop/everything-server.js';
import type { HttpServed } from '../support/interop/served.js';

const OPTIONS: ClientOptions = {
  info: { name: 'crosspoint-test', version: '1' },
  handlers: {
    elicitation: () => ({ action: 'accept', content: { name: 'Ada', check: true } }),
    sampling: () => ({
      role: 'assistant',
      model: 'none',
      content: { type: 'text', text: 'Hello from here' },
    }),
    roots: () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }),
  },
};

function defineSuite(address: () => ServerAddress): void {
  let client: McpClient;
  beforeAll(async () => {
    client = await connect({ ...OPTIONS, ...address() });
  });
  afterAll(async () => {
    await client.close();
  });

  async function call(name: string, args = {}): Promise<string> {
    return JSON.stringify((await client.callTool(name, args)).content);
  }

  test('is legacy and says what it is', async () => {
    expect(client.server.era).toBe('legacy');
    expect(client.server.info.name).toContain('everything');
    await client.ping();
  });

  test('lists everything', async () => {
    // Some tools appear only once the server has seen what the client can do.
    await vi.waitFor(async () => {
      const { items, rejected } = await client.listTools();
      expect(rejected).toEqual([]);
      expect(items.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'echo',
          'get-sum',
          'trigger-elicitation-request',
          'trigger-sampling-request',
          'get-roots-list',
        ]),
      );
    }, 10_000);
    expect((await client.listPrompts()).items.length).toBeGreaterThan(2);
    expect((await client.listResources()).items.length).toBeGreaterThan(0);
    expect((await client.listResourceTemplates()).items.length).toBeGreaterThan(0);
  });

  test('calls tools with all kinds of content', async () => {
    expect(await call('echo', { message: 'Grüße' })).toContain('Grüße');
    expect(await call('get-sum', { a: 2, b: 40 })).toContain('42');
    expect((await client.callTool('get-tiny-image')).content.map(({ type }) => type)).toContain('image');
    expect(
      (await client.callTool('get-resource-links', { count: 2 })).content.map(({ type }) => type),
    ).toContain('resource_link');
    expect(await client.callTool('get-structured-content', { location: 'Chicago' })).toHaveProperty(
      'structuredContent',
    );
    expect(await client.callTool('get-sum', { a: 'x' })).toMatchObject({ isError: true });
  });

  test('reads a resource, gets a prompt, completes an argument', async () => {
    const [resource] = (await client.listResources()).items;
    expect((await client.readResource(resource!.uri)).contents).toHaveLength(1);
    expect((await client.getPrompt('simple-prompt')).messages.length).toBeGreaterThan(0);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toContain('Engineering');
  });

  test('reports progress', async () => {
    const progress: Progress[] = [];
    const onProgress = (update: Progress): number => progress.push(update);
    await client.callTool('trigger-long-running-operation', { duration: 0.2, steps: 2 }, { onProgress });
    expect(progress).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });

  test('answers what the server asks', async () => {
    await vi.waitFor(async () => {
      expect((await client.listTools()).items.map(({ name }) => name)).toContain(
        'trigger-elicitation-request',
      );
    }, 10_000);
    expect(await call('trigger-elicitation-request')).toContain('Ada');
    expect(await call('trigger-sampling-request', { prompt: 'Hi' })).toContain('Hello from here');
    expect(await call('get-roots-list')).toContain('file:///tmp');
  });

  test('subscribes to a resource', async () => {
    const [resource] = (await client.listResources()).items;
    using subscription = await client.subscribe({ resourceSubscriptions: [resource!.uri] }, () => {});
    expect(subscription.honoured).toEqual({ resourceSubscriptions: [resource!.uri] });
  });
}

describe('over stdio', () => {
  defineSuite(() => ({ command: process.execPath, args: [EVERYTHING, 'stdio'] }));
});

describe.each(['streamableHttp', 'sse'] as const)('over %s', (transport) => {
  let served: HttpServed;
  beforeAll(async () => {
    served = await serveEverything(transport);
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
  });
  defineSuite(() => ({ url: served.url }));
});

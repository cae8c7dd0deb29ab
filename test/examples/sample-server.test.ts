import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { runProgram } from '../../scripts/run-program.js';
import { ClientError, connect, InputRefused, ProtocolError } from '../../src/mcp/client/index.js';
import type { ConnectOptions, InputHandlers, McpClient, Progress } from '../../src/mcp/client/index.js';
import { until } from '../support/http/until.js';
import { startServer, type RunningServer } from './start-server.js';

const SERVER = 'examples/sample-server.mjs';
const RUN = ['--import', 'tsx', join(ROOT, SERVER)];
const INFO = { name: 'test', version: '1.0.0' };
const NOTES = 'sample://notes';

const ways = [
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
] as const;

let http: RunningServer;

beforeAll(async () => {
  http = await startServer(SERVER, ['--http', '--port', '0']);
});

afterAll(async () => {
  await http.close();
});

describe.each(ways)('the sample server over %s, in the %s era', (way, era) => {
  let client: McpClient;
  const open = async (handlers: InputHandlers = {}): Promise<McpClient> => {
    const address = way === 'http' ? { url: http.url } : { command: process.execPath, args: RUN, cwd: ROOT };
    return await connect({ info: INFO, era, handlers, ...address } satisfies ConnectOptions);
  };
  const textOf = async (tool: string, args: Record<string, string | number>): Promise<unknown> =>
    (await client.callTool(tool, args)).content[0]?.['text'];

  beforeAll(async () => {
    client = await open();
  });

  afterAll(async () => {
    await client.close();
  });

  test('tells of itself and of what it offers', async () => {
    expect(client.server.era).toBe(era);
    expect(client.server.info.name).toBe('crosspoint-sample');
    const tools = await client.listTools();
    expect(tools.rejected).toEqual([]);
    expect(tools.items.map((tool) => tool.name)).toEqual([
      'echo',
      'add',
      'now',
      'word_count',
      'countdown',
      'greet',
      'add_note',
    ]);
    expect(
      tools.items.every((tool) => tool.annotations !== undefined && tool.description !== undefined),
    ).toBe(true);
    expect(tools.items.filter((tool) => tool.outputSchema !== undefined).map((tool) => tool.name)).toEqual([
      'add',
      'word_count',
    ]);
    expect((await client.listResources()).items.map((each) => each.uri)).toEqual([NOTES]);
    expect((await client.listResourceTemplates()).items.map((each) => each.uriTemplate)).toEqual([
      `${NOTES}/{number}`,
    ]);
    expect((await client.listPrompts()).items.map((each) => each.name)).toEqual(['summarise']);
  });

  test('echoes, adds, counts and tells the time', async () => {
    expect(await textOf('echo', { text: 'grüß dich 👋' })).toBe('grüß dich 👋');
    expect((await client.callTool('add', { a: 2, b: 0.5 })).structuredContent).toEqual({ sum: 2.5 });
    const counted = await client.callTool('word_count', { text: 'Ein Wort,\nund 👋 noch eins' });
    expect(counted.structuredContent).toEqual({ words: 5, characters: 25, lines: 2 });
    expect(await textOf('now', {})).toMatch(/^\w+, \d+ \w+ \d{4} at \d\d:\d\d:\d\d UTC$/);
    expect(await textOf('now', { zone: 'Asia/Tokyo' })).toMatch(/GMT\+9$/);
  });

  test.each([
    ['add', { a: 'two', b: 3 }, '"a" must be a number'],
    ['now', { zone: 'Atlantis' }, '"Atlantis" is no time zone; try one like Europe/Vienna'],
    ['echo', {}, '"text" must be a text of at most 10000 characters'],
    ['countdown', { from: 1000 }, '"from" must be a whole number from 1 to 100'],
  ])('lets the caller of %s mend %j', async (tool, args, message) => {
    const result = await client.callTool(tool, args);
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([{ type: 'text', text: message }]);
  });

  test('refuses what it does not have', async () => {
    await expect(client.callTool('no_such_tool')).rejects.toThrow(ProtocolError);
    await expect(client.readResource(`${NOTES}/900`)).rejects.toThrow(ProtocolError);
    await expect(client.getPrompt('summarise')).rejects.toThrow(ProtocolError);
    await expect(client.getPrompt('no_such_prompt')).rejects.toThrow(ProtocolError);
  });

  test('reports progress and can be cancelled', async () => {
    const heard: Progress[] = [];
    const onProgress = (progress: Progress): void => void heard.push(progress);
    const done = await client.callTool('countdown', { from: 3, intervalMs: 1 }, { onProgress });
    expect(done).toMatchObject({ content: [{ type: 'text', text: 'Lift-off!' }], isError: false });
    expect(heard).toMatchObject([
      { progress: 1, total: 3, message: '2' },
      { progress: 2, total: 3, message: '1' },
      { progress: 3, total: 3, message: '0' },
    ]);

    const abort = new AbortController();
    const cancelled = client.callTool(
      'countdown',
      { from: 100, intervalMs: 50 },
      { signal: abort.signal, onProgress: () => abort.abort() },
    );
    await expect(cancelled).rejects.toMatchObject({ name: ClientError.name, code: 'aborted' });
  });

  test('greets whom the user names', async () => {
    expect(await textOf('greet', {})).toBe('Hello, whoever you are!');
    const asked: unknown[] = [];
    await using polite = await open({
      elicitation: ({ params }) => {
        asked.push(params?.['message']);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    const greeting = await polite.callTool('greet');
    expect(greeting.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
    expect(asked).toEqual(['Whom may I greet?']);

    await using shy = await open({
      elicitation: () => {
        throw new InputRefused();
      },
    });
    expect((await shy.callTool('greet')).content).toEqual([{ type: 'text', text: 'As you like. Good day!' }]);
  });

  test('keeps notes and tells of new ones', async () => {
    const changed: unknown[] = [];
    using subscription = await client.subscribe({ resourceSubscriptions: [NOTES] }, ({ params }) => {
      changed.push(params?.['uri']);
    });
    expect(subscription.honoured).toEqual({ resourceSubscriptions: [NOTES] });
    const taken = String(await textOf('add_note', { text: `a note over ${way}` }));
    const number = /^Note (\d+) taken\.$/.exec(taken)?.[1] ?? '';
    await until(() => changed.length > 0, 'no change was told');
    expect(changed[0]).toBe(NOTES);
    const { contents } = await client.readResource(`${NOTES}/${number}`);
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: `a note over ${way}` }]);
    const all = await client.readResource(NOTES);
    expect(all.contents[0]?.['text']).toContain(`${number}. a note over ${way}`);
    const ref = { type: 'ref/resource', uri: `${NOTES}/{number}` } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'number', value: number } });
    expect(completion.values).toContain(number);
  });

  test('has a prompt with completion', async () => {
    const prompt = await client.getPrompt('summarise', { text: 'Once upon a time', style: 'haiku' });
    expect(prompt.messages).toMatchObject([{ role: 'user' }]);
    expect(JSON.stringify(prompt.messages)).toMatch(/as haiku.*Once upon a time/);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'summarise' },
      argument: { name: 'style', value: 'h' },
    });
    expect(completion.values).toEqual(['haiku']);
  });
});

test('over HTTP, it ends in order when it is told to', async () => {
  const server = await startServer(SERVER, ['--http', '--port', '0']);
  await using client = await connect({ url: server.url, info: INFO });
  await client.callTool('echo', { text: 'still here' });
  expect(await server.close()).toBe(0);
});

test.each([
  [['--port', 'eighty'], 2, '--port must be a port number'],
  [['--http', '--port', '99999'], 2, '--port must be a port number'],
  [['--html'], 2, "Unknown option '--html'"],
])('with %j it ends with code %d', async (args, code, message) => {
  const { exitCode, output } = await runProgram(process.execPath, [...RUN, ...args]);
  expect(exitCode).toBe(code);
  expect(output).toContain(message);
  expect(output).toContain('Usage:');
});

test('it says so when its port is taken', async () => {
  const { port } = new URL(http.url);
  const { exitCode, output } = await runProgram(process.execPath, [...RUN, '--http', '--port', port]);
  expect(exitCode).toBe(1);
  expect(output.trim()).toBe(`Cannot listen on port ${port}: it is in use; choose another with --port`);
});

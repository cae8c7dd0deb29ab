import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { connect } from '../../src/mcp/client/index.js';
import { startServer, type RunningServer } from './start-server.js';

const LIMIT_MS = 30_000;
const SAMPLE = 'examples/sample-server.mjs';

interface Answer {
  /** What the program prints before it wants to read this. */
  readonly after: string;
  readonly line: string;
}

/** Runs an example and returns the lines it printed. Its words for the user go to standard error. */
async function run(name: string, args: readonly string[], answer?: Answer): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${name}.ts`, ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let faults = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    faults += chunk;
    if (answer !== undefined && faults.endsWith(answer.after)) child.stdin.write(answer.line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, `${name} failed:\n${output}${faults}`).toBe(0);
  return output.trimEnd().split('\n');
}

let sample: RunningServer;

beforeAll(async () => {
  sample = await startServer(SAMPLE, ['--http', '--port', '0']);
});

afterAll(async () => {
  await sample.close();
});

test('connect-http', async () => {
  expect(await run('connect-http', [sample.url])).toEqual([
    'Connected to crosspoint-sample 1.0.0, revision 2026-07-28',
    '{ sum: 5 }',
  ]);
});

test('connect-stdio', async () => {
  const [line, ...more] = await run('connect-stdio', [process.execPath, '--import', 'tsx', SAMPLE]);
  expect(line).toMatch(/^\w+, \d+ \w+ \d{4} at \d\d:\d\d:\d\d CES?T$/);
  expect(more).toEqual([]);
});

test('list-everything', async () => {
  const lines = await run('list-everything', [sample.url]);
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'tool echo',
    'tool add',
    'tool now',
    'tool word_count',
    'tool countdown',
    'tool greet',
    'tool add_note',
    'resource sample',
    'template sample',
    'prompt summarise',
    'styles with h',
  ]);
  expect(lines.at(-1)).toBe('styles with h: haiku');
});

test('call-with-progress', async () => {
  expect(await run('call-with-progress', [sample.url])).toEqual([
    '1 of 3: 2',
    '2 of 3: 1',
    '3 of 3: 0',
    'Lift-off!',
    'cancelled',
  ]);
});

test.each([
  ['Ada\n', 'Hello, Ada!'],
  ['\n', 'As you like. Good day!'],
])('answer-elicitation with %j', async (line, greeting) => {
  expect(await run('answer-elicitation', [sample.url], { after: 'name: ', line })).toEqual([
    'The server asks: Whom may I greet?',
    greeting,
  ]);
});

test('subscribe', async () => {
  expect(await run('subscribe', [sample.url])).toEqual([
    "heard of: { resourceSubscriptions: [ 'sample://notes' ] }",
    '1. milk',
  ]);
});

test('handle-errors', async () => {
  expect(await run('handle-errors', [sample.url])).toEqual([
    'the tool failed: "Atlantis" is no time zone; try one like Europe/Vienna',
    'the server says -32602: Unknown tool',
    'ClientError timeout, the call may have run',
    'TransportError CONNECT_FAILED, safe to try again',
  ]);
});

test('in-one-process', async () => {
  expect(await run('in-one-process', [])).toEqual(['NO NETWORK NEEDED']);
});

test('write-server', async () => {
  const server = await startServer('examples/write-server.ts', ['0']);
  try {
    const info = { name: 'test', version: '1.0.0' };
    await expect(connect({ url: server.url, info })).rejects.toMatchObject({ code: 'HTTP_UNAUTHORIZED' });
    await using client = await connect({
      url: server.url,
      headers: { authorization: 'Bearer secret-of-alice' },
      info,
    });
    expect((await client.listTools()).items.map((tool) => tool.name)).toEqual(['roll']);
    const { content } = await client.callTool('roll', { sides: 2 });
    expect(content[0]?.['text']).toMatch(/^alice rolled a [12]$/);
    expect((await client.callTool('roll', { sides: 1 })).isError).toBe(true);
  } finally {
    expect(await server.close()).toBe(0);
  }
});

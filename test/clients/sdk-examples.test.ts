import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { freePort } from '../support/free-port.js';
import { startKeyProxy } from '../support/key-proxy.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { connectAsked, SAMPLE, type AskedClient } from './asked-client.js';

/** The programs that the official SDK ships as examples, as they are: servers behind the hub, and a client in front of it. */

const EXAMPLES = join(ROOT, 'node_modules', '@modelcontextprotocol', 'sdk', 'dist', 'esm', 'examples');
const example = (name: string): string => join(EXAMPLES, `${name}.js`);
const LIMIT_MS = 30_000;

let hub: TestHub;
const opened: { close(): Promise<unknown> }[] = [];

/** One that serves HTTP, at the port it is given. */
async function serve(name: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [example(`server/${name}`)], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  opened.push({
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.includes(String(port))) break;
  return `http://127.0.0.1:${port}/mcp`;
}

beforeAll(async () => {
  const [form, tasks] = await Promise.all([serve('elicitationFormExample'), serve('simpleTaskInteractive')]);
  hub = await startTestHub({
    config: {
      connectors: {
        form: { url: form },
        tasks: { url: tasks },
        sampling: { command: process.execPath, args: [example('server/toolWithSampleServer')] },
      },
    },
  });
  opened.push(hub);
  for (const id of ['form', 'tasks', 'sampling']) await waitForSync(hub, id, LIMIT_MS);
}, 60_000);
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

describe.each(['legacy', 'modern'] as const)('SDK v2, %s', (mode) => {
  let asked: AskedClient;
  const call = async (name: string, args = {}): Promise<string> =>
    JSON.stringify((await asked.client.callTool({ name, arguments: args })).content);
  beforeAll(async () => {
    const person = { username: 'ada', email: 'ada@example.com', password: 'not a real one' };
    asked = await connectAsked(hub, mode, { ...person, confirm: true });
  });
  afterAll(() => asked?.client.close());

  test('fills in the form of the example for elicitation', async () => {
    expect(await call('form__register_user')).toMatch(/Registration successful!.*Username: ada/);
  });

  test('samples for the example over stdio, which also says things that are no messages', async () => {
    expect(await call('sampling__summarize', { text: 'Much to read' })).toContain(SAMPLE);
  });

  test('gets the end of what the example makes a task, asked and sampling meanwhile', async () => {
    expect(await call('tasks__confirm_delete', { filename: 'old.txt' })).toContain("Deleted 'old.txt'");
    expect(await call('tasks__write_haiku', { topic: 'rain' })).toContain(SAMPLE);
  });
});

test('the example client follows its tasks, is asked and samples, through the hub', async () => {
  const proxy = await startKeyProxy(hub.url, hub.localKey);
  opened.push(proxy);
  const url = `${proxy.url}/connectors/tasks/mcp`;
  const child = spawn(process.execPath, [example('client/simpleTaskInteractiveClient'), '--url', url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += String(chunk);
    if (output.endsWith('(y/n): ')) child.stdin.write('y\n');
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect(output).toContain('Task created');
  expect(output).toContain("Result: Deleted 'important.txt'");
  expect(output).toContain('Cherry blossoms fall');
  expect(child.exitCode).toBe(0);
});

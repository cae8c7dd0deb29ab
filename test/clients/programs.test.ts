import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../scripts/run-program.js';
import { serveOwnHttp, type OwnHttp } from '../support/interop/own-server.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { ensurePrograms, type ClientPrograms } from './ensure-programs.js';

/** Command-line clients that people use, at the hub. */

let programs: ClientPrograms;
let upstream: OwnHttp;
let hub: TestHub;
let home = '';

beforeAll(async () => {
  programs = await ensurePrograms();
  upstream = await serveOwnHttp();
  hub = await startTestHub({
    config: { connectors: { own: { url: upstream.url } }, toolsets: { small: { tools: ['own__echo'] } } },
  });
  await waitForSync(hub, 'own');
  home = mkdtempSync(join(tmpdir(), 'crosspoint-clients-'));
}, 600_000);
afterAll(async () => {
  await hub?.close();
  await upstream?.[Symbol.asyncDispose]();
  if (home !== '') rmSync(home, { recursive: true, force: true });
});

/** Runs a client in a home of its own and reads the JSON it prints. */
async function run(
  program: string,
  args: readonly string[],
): Promise<{ exitCode: number | undefined; output: string; json: unknown }> {
  const { exitCode, output } = await runProgram(programs.node, [program, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, NO_COLOR: '1' },
    timeoutMs: 60_000,
  });
  const start = output.indexOf('{');
  return {
    exitCode,
    output,
    json:
      start === -1 ? undefined : (JSON.parse(output.slice(start, output.lastIndexOf('}') + 1)) as unknown),
  };
}

describe.each(['legacy', 'modern'])('the Inspector, %s', (era) => {
  const inspect = (args: readonly string[], path = '/mcp', key = hub.localKey) =>
    run(programs.inspector, [
      '--cli',
      hub.url + path,
      '--transport',
      'http',
      '--protocol-era',
      era,
      '--format',
      'json',
      '--quiet',
      '--header',
      `Authorization: Bearer ${key}`,
      ...args,
    ]);

  test('lists tools and calls one', async () => {
    expect((await inspect(['--method', 'tools/list'])).output).toContain('own__echo');
    const called = await inspect([
      '--method',
      'tools/call',
      '--tool-name',
      'own__echo',
      '--tool-arg',
      'message=Grüße',
    ]);
    expect(called).toMatchObject({ exitCode: 0, output: expect.stringContaining('Grüße') as string });
  });

  test('reads a resource and gets a prompt', async () => {
    expect((await inspect(['--method', 'resources/read', '--uri', 'memo://greeting'])).output).toContain(
      'Hello',
    );
    const prompt = await inspect([
      '--method',
      'prompts/get',
      '--prompt-name',
      'own__greet',
      '--prompt-args',
      'name=Ada',
    ]);
    expect(prompt.output).toContain('Greet Ada');
  });

  test('uses the endpoints of one connector and of a toolset', async () => {
    const own = await inspect(
      ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'],
      '/connectors/own/mcp',
    );
    expect(own.output).toContain('hi');
    const small = await inspect(['--method', 'tools/list'], '/toolsets/small/mcp');
    expect(small.output).toContain('own__echo');
    expect(small.output).not.toContain('own__wait');
  });

  test('is refused with a wrong key', async () => {
    const refused = await inspect(
      ['--method', 'tools/list', '--stored-auth-only'],
      '/mcp',
      'wrong-key-0123456789abcdef',
    );
    expect(refused.exitCode).not.toBe(0);
    expect(refused.output).not.toContain('own__echo');
  });
});

describe('mcporter', () => {
  const port = (args: readonly string[]) => {
    const config = join(home, 'mcporter.json');
    const headers = { Authorization: `Bearer ${hub.localKey}` };
    writeFileSync(config, JSON.stringify({ mcpServers: { hub: { baseUrl: `${hub.url}/mcp`, headers } } }));
    return run(programs.mcporter, ['--config', config, ...args]);
  };

  test('lists tools with their schemas', async () => {
    const { json } = await port(['list', 'hub', '--json']);
    expect(json).toMatchObject({
      status: 'ok',
      tools: expect.arrayContaining([
        expect.objectContaining({
          name: 'own__echo',
          inputSchema: expect.objectContaining({ required: ['message'] }) as object,
        }),
      ]) as object[],
    });
  });

  test('calls a tool', async () => {
    expect(await port(['call', 'hub.own__echo', 'message=hello', '--output', 'json'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('hello') as string,
    });
  });

  test('reads a resource', async () => {
    expect((await port(['resource', 'hub', 'memo://greeting'])).output).toContain('Hello');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { connect } from '../../src/mcp/client/index.js';

const START_LIMIT_MS = 120_000;
const END_LIMIT_MS = 20_000;

/** Here and not among the quick tests, because it empties `dist` and builds it anew. */
test('npm start builds, takes the flags of serve, and the sample can be called at once', async () => {
  const npm = process.env['npm_execpath'];
  const [command = '', ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const data = mkdtempSync(join(tmpdir(), 'crosspoint-start-'));
  const flags = ['--port', '0', '--data', data, '--log-format', 'json'];
  const child = spawn(command, [...args, 'start', '--silent', '--', ...flags], {
    cwd: ROOT,
    // A group of its own, as from a terminal: Ctrl-C goes to everybody in it.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const interrupt = (signal: 'SIGINT' | 'SIGKILL'): void => {
    const running = child.exitCode === null && child.signalCode === null;
    if (running && child.pid !== undefined) process.kill(-child.pid, signal);
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) })) as [string];
    const ready = JSON.parse(line) as Readonly<Record<string, unknown>>;
    expect(ready).toMatchObject({ event: 'ready', pid: expect.any(Number) as number });
    const key = readFileSync(join(data, 'local.token'), 'utf8').trim();
    await using client = await connect({
      url: String(ready['mcpUrl']),
      headers: { authorization: `Bearer ${key}` },
      info: { name: 'test', version: '1.0.0' },
    });
    await expect
      .poll(async () => (await client.listTools()).items.map(({ name }) => name), { timeout: 30_000 })
      .toContain('sample__add');
    const { structuredContent } = await client.callTool('sample__add', { a: 2, b: 3 });
    expect(structuredContent).toEqual({ sum: 5 });
    const gone = once(child, 'exit', { signal: AbortSignal.timeout(END_LIMIT_MS) });
    interrupt('SIGINT');
    await gone;
  } finally {
    interrupt('SIGKILL');
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';

const START_LIMIT_MS = 120_000;
const END_LIMIT_MS = 20_000;

/** Here and not among the quick tests, because it empties `dist` and builds it anew. */
test('npm start builds, serves, and prints a call that works', async () => {
  const npm = process.env['npm_execpath'];
  const [command = '', ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const child = spawn(command, [...args, 'start', '--silent', '--', '--port', '0'], {
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
    const shown: string[] = [];
    lines.on('line', (line) => shown.push(line));
    const signal = AbortSignal.timeout(START_LIMIT_MS);
    while (!shown.some((line) => line.startsWith('Try:'))) await once(lines, 'line', { signal });
    expect(shown[0]).toMatch(/^Serving MCP at http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const curl = shown.find((line) => line.startsWith('Try:')) ?? '';
    const [, url = '', body = ''] = /^Try: {2}curl -s (\S+) .* -d '([^']+)'$/.exec(curl) ?? [];
    const headers = [...curl.matchAll(/ -H '([^:']+): ([^']+)'/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { sum: 5 } } });
    const gone = once(child, 'exit', { signal: AbortSignal.timeout(END_LIMIT_MS) });
    interrupt('SIGINT');
    await gone;
  } finally {
    interrupt('SIGKILL');
    await ended;
  }
});

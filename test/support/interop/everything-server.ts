import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../../scripts/repository.js';
import type { HttpServed } from './served.js';

/** The reference server of the protocol's authors. */
export const EVERYTHING = join(
  ROOT,
  'node_modules',
  '@modelcontextprotocol',
  'server-everything',
  'dist',
  'index.js',
);

const START_LIMIT_MS = 20_000;

/** It cannot say which port it got, so it is given one that was free a moment ago. */
async function findPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export async function serveEverything(transport: 'streamableHttp' | 'sse'): Promise<HttpServed> {
  const port = await findPort();
  const child = spawn(process.execPath, [EVERYTHING, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stderr });
  const started = (async () => {
    for await (const line of lines) if (line.includes(`on port ${port}`)) return;
    throw new Error('the server ended before it was listening');
  })();
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const late = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  try {
    await started;
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(late);
  }
  // Its log must be read, or the server would wait for somebody to do so.
  child.stderr.resume();
  const path = transport === 'sse' ? '/sse' : '/mcp';
  return { url: `http://127.0.0.1:${port}${path}`, [Symbol.asyncDispose]: stop };
}

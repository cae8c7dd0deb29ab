import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { loadConfig } from './config/load-config.js';
import { startHub } from './serve.js';

const VISITORS = 12;
const PROGRAM = `
  for (let visitor = 0; visitor < ${VISITORS}; visitor++) {
    const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => {
      socket.write('GET /health HTTP/1.1\\r\\nHost: 127.0.0.1:' + process.argv[1] + '\\r\\n\\r\\n');
    });
    socket.on('data', (data) => (console.log(String(data).split('\\r')[0]), socket.end()));
    socket.on('error', ({ code }) => console.log(code));
  }
`;

test('F13: all who connect before a hub hears that it is to stop are served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-visitors-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const flags = { port: 0, data: join(folder, 'data') };
  const config = loadConfig({ flags, environment: {}, folder, now: Date.now() });
  const running = await startHub(config, silentLogger, undefined);
  const visitors = spawn(process.execPath, ['-e', PROGRAM, new URL(running.localUrl).port]);
  const told = text(visitors.stdout);
  // As a hub that is busy: the visitors wait at the door.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
  await running.stop({ lingerMs: 500 });
  expect(await told).toBe('HTTP/1.1 200 OK\n'.repeat(VISITORS));
}, 30_000);

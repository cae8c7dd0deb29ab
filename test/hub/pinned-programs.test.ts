import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { peerScript } from '../support/stdio/peers.js';

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

let folder = '';
let hub: TestHub;
let agent: RawAgent;
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-pins-')));
  mkdirSync(inFolder('bin'));
  symlinkSync(process.execPath, inFolder('bin/runner'));
  copyFileSync(peerScript('plain-server.mjs'), inFolder('server.mjs'));
  const pins = {
    runner: sha256(process.execPath).toUpperCase(),
    './server.mjs': sha256(inFolder('server.mjs')),
  };
  const pinned = {
    command: 'runner',
    args: ['server.mjs', inFolder('ledger')],
    env: { PATH: `${inFolder('nowhere')}:${inFolder('bin')}:/usr/bin:/bin` },
    cwd: folder,
    era: 'legacy',
    isolation: 'per_call',
    pins,
  };
  hub = await startTestHub({ config: { connectors: { pinned } } });
  await waitForSync(hub, 'pinned');
  agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
});

afterAll(async () => {
  await hub?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

async function call(): Promise<Result> {
  const { message } = await agent.request('tools/call', { name: 'pinned__echo', arguments: { a: 1 } });
  return message?.['result'] as unknown as Result;
}

async function healthNow(): Promise<unknown> {
  return (await admin(hub, 'GET', '/connectors/pinned/health')).body;
}

/** Changes of the script that leave a trace if it is ever run. */
const TRACE = 'ran';
const evil = () =>
  `\nimport('node:fs').then((fs) => fs.writeFileSync(${JSON.stringify(inFolder(TRACE))}, ''));\n`;
const keepServer = () => copyFileSync(inFolder('server.mjs'), inFolder('kept.mjs'));
const restoreServer = () => renameSync(inFolder('kept.mjs'), inFolder('server.mjs'));

test('B3.5: programs and scripts that are what they were pinned to are started', async () => {
  expect(await call()).toMatchObject({ content: [{ text: '{"a":1}' }] });
  expect(await eventsOf(hub, 'connector.pin_broken')).toEqual([]);
});

describe('B3.5: a file that is not what it was', () => {
  const breaks: Readonly<Record<string, { break(): void; mend(): void; file: string; says: RegExp }>> = {
    'a script with more in it': {
      break() {
        keepServer();
        appendFileSync(inFolder('server.mjs'), evil());
      },
      mend: restoreServer,
      file: './server.mjs',
      says: /\.\/server\.mjs has the SHA-256 [0-9a-f]{64}; it is pinned to [0-9a-f]{64}$/,
    },
    'one of the same size and time': {
      break() {
        keepServer();
        const { atime, mtime } = statSync(inFolder('server.mjs'));
        const text = readFileSync(inFolder('server.mjs'), 'utf8');
        writeFileSync(inFolder('server.mjs'), text.replace('plain server ready', 'plain server READY'));
        utimesSync(inFolder('server.mjs'), atime, mtime);
      },
      mend: restoreServer,
      file: './server.mjs',
      says: /\.\/server\.mjs has the SHA-256/,
    },
    'no file': {
      break: () => renameSync(inFolder('server.mjs'), inFolder('kept.mjs')),
      mend: restoreServer,
      file: './server.mjs',
      says: /\.\/server\.mjs does not exist; it is pinned to the SHA-256 [0-9a-f]{64}$/,
    },
    'a folder': {
      break() {
        renameSync(inFolder('server.mjs'), inFolder('kept.mjs'));
        mkdirSync(inFolder('server.mjs'));
      },
      mend() {
        rmSync(inFolder('server.mjs'), { recursive: true });
        restoreServer();
      },
      file: './server.mjs',
      says: /\.\/server\.mjs is no file/,
    },
    'a link that leads elsewhere': {
      break() {
        rmSync(inFolder('bin/runner'));
        symlinkSync('/bin/sh', inFolder('bin/runner'));
      },
      mend() {
        rmSync(inFolder('bin/runner'));
        symlinkSync(process.execPath, inFolder('bin/runner'));
      },
      file: 'runner',
      says: /runner has the SHA-256/,
    },
    'a program of the same name that is found first': {
      break() {
        mkdirSync(inFolder('nowhere'));
        writeFileSync(inFolder('nowhere/runner'), `#!/bin/sh\ntouch ${inFolder(TRACE)}\n`, { mode: 0o755 });
      },
      mend: () => rmSync(inFolder('nowhere'), { recursive: true }),
      file: 'runner',
      says: /runner has the SHA-256/,
    },
    'a program that is gone': {
      break: () => rmSync(inFolder('bin/runner')),
      mend: () => symlinkSync(process.execPath, inFolder('bin/runner')),
      file: 'runner',
      says: /runner is no program in PATH/,
    },
  };

  test.each(Object.entries(breaks))('%s is not run; mended, the next call works', async (_, row) => {
    const before = (await eventsOf(hub, 'connector.pin_broken')).length;
    const calls = readFileSync(inFolder('ledger'), 'utf8');
    row.break();
    try {
      // More often than a process that ends may be started.
      for (let n = 0; n < 8; n++) {
        const refused = await call();
        expect(refused.isError).toBe(true);
        expect(refused.content[0]?.text).toMatch(row.says);
      }
      expect(readFileSync(inFolder('ledger'), 'utf8')).toBe(calls);
      expect(existsSync(inFolder(TRACE))).toBe(false);
      expect(await healthNow()).toMatchObject({
        state: 'unhealthy',
        reason: expect.stringMatching(row.says) as unknown,
      });
      const logs = await admin(hub, 'GET', '/connectors/pinned/logs');
      expect((logs.body['lines'] as string[]).at(-1)).toMatch(row.says);
      const sync = await admin(hub, 'POST', '/connectors/pinned/sync');
      expect(sync).toMatchObject({
        status: 502,
        body: { error: { code: 'upstream_unavailable', details: { reason: 'STDIO_PIN_BROKEN' } } },
      });
    } finally {
      row.mend();
    }
    const told = (await eventsOf(hub, 'connector.pin_broken')).slice(before);
    expect(told).toHaveLength(1);
    expect(told).toMatchObject([
      { connector: 'pinned', file: row.file, reason: expect.stringMatching(row.says) as unknown },
    ]);
    expect(await call()).toMatchObject({ content: [{ text: '{"a":1}' }] });
    expect(await healthNow()).toMatchObject({ state: 'healthy' });
  });
});

describe('B3.5: through the admin API', () => {
  const body = { id: 'mine', command: process.execPath, args: ['x.mjs'], pins: { node: 'a'.repeat(64) } };
  let open: TestHub | undefined;
  afterEach(async () => {
    await open?.close();
    open = undefined;
  });

  test('pins are refused like a command', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const added = { id: 'mine', url, allowPrivateNetwork: true, pins: body.pins };
    expect(await admin(hub, 'POST', '/connectors', added)).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'pins' } } },
    });
  });

  test('where commands are allowed they are kept, shown and changed as a whole', async () => {
    open = await startTestHub({ config: { server: { allowStdioFromApi: true } } });
    expect(await admin(open, 'POST', '/connectors', { ...body, pins: { node: 'x' } })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'pins.node' } } },
    });
    expect(await admin(open, 'POST', '/connectors', body)).toMatchObject({
      status: 201,
      body: { pins: body.pins },
    });
    const renamed = await admin(open, 'PATCH', '/connectors/mine', { name: 'Mine' });
    expect(renamed.body).toMatchObject({ pins: body.pins });
    const changed = await admin(open, 'PATCH', '/connectors/mine', { pins: { './x.mjs': 'B'.repeat(64) } });
    expect(changed.body['pins']).toEqual({ './x.mjs': 'b'.repeat(64) });
  });
});

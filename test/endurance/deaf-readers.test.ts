import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/app/logger.js';
import { until } from '../support/http/until.js';
import { recordsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Whoever should read what the hub has to tell does not. Calls go on, and memory stays bounded. */

const CALLS = 100;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] });
});
afterAll(() => upstream.close());

/** How many of some calls were answered with a result and recorded from beginning to end. */
async function callsServed(hub: TestHub): Promise<readonly number[]> {
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  let served = 0;
  for (let n = 0; n < CALLS; n++) {
    const { message } = await agent.request('tools/call', { name: 'up__t', arguments: {} });
    if (message !== undefined && 'result' in message) served++;
  }
  const types = (await recordsOf(hub)).map(({ event }) => event.type);
  return [
    served,
    ...['call.intended', 'call.finished'].map((type) => types.filter((one) => one === type).length),
  ];
}

test('F47: nobody reads the log: lines are left out and counted, events are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-log-'));
  const file = join(folder, 'log');
  const reader = spawn('cat', { stdio: ['pipe', openSync(file, 'w'), 'ignore'] });
  reader.kill('SIGSTOP');
  const { stdin: stream } = reader;
  if (stream === null) throw new Error('no pipe');
  const logger = createLogger({ level: 'debug', format: 'json', stream });
  const hub = await startTestHub({ logger, config: { connectors: { up: { url: upstream.url } } } });
  try {
    const text = 'x'.repeat(1_000);
    for (let n = 0; n < 10_000; n++) hub.running.hub.logger.info({ n }, text);
    expect(stream.writableLength).toBeLessThanOrEqual(1024 * 1024);
    expect(await callsServed(hub)).toEqual([CALLS, CALLS, CALLS]);
    reader.kill('SIGCONT');
    await until(
      () => readFileSync(file, 'utf8').includes('log lines were left out'),
      'the note of what is missing',
    );
    const last = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '') as { lines: number };
    expect(last.lines).toBeGreaterThan(8_000);
    hub.running.hub.logger.info({}, 'after that');
    await until(() => readFileSync(file, 'utf8').includes('after that'), 'what comes later');
    // A reader that is gone is no worse.
    reader.kill('SIGKILL');
    await until(() => reader.signalCode !== null, 'the end of the reader');
    for (let n = 0; n < 100; n++) hub.running.hub.logger.info({ n }, text);
  } finally {
    await hub.close();
    reader.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(['blocks', 'away'])('F48: the collector of telemetry is %s', async (kind) => {
  const connections = new Set<Socket>();
  // It takes what it is sent, and never answers.
  const collector = createServer((socket) => connections.add(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  if (kind === 'away') await new Promise((resolve) => collector.close(resolve));
  const endpoint = `http://127.0.0.1:${port}`;
  const telemetry = { otlp: { endpoint, intervalMs: 1_000 } };
  const hub = await startTestHub({ config: { connectors: { up: { url: upstream.url } }, telemetry } });
  try {
    expect(await callsServed(hub)).toEqual([CALLS, CALLS, CALLS]);
    const before = performance.now();
    await hub.running.stop();
    expect(performance.now() - before).toBeLessThan(20_000);
  } finally {
    await hub.close();
    for (const socket of connections) socket.destroy();
    collector.close();
  }
});

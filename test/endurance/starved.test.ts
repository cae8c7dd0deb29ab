import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** A hub that gets too little of the processor, or none for a while, blames no upstream for it. */

const keep = closeAfterEach();
const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];
const FINE = { content: [{ type: 'text', text: 'fine' }] };

test('F36: answers that came while the process stood still count, though their time was up', async () => {
  const waiting: (() => void)[] = [];
  const upstream = keep(
    await startUpstream({
      tools: TOOLS,
      call: () => new Promise((resolve) => waiting.push(() => resolve(FINE))),
    }),
  );
  const config = {
    connectors: { up: { url: upstream.url, timeouts: { requestMs: 1_000 }, limits: { breakerFailures: 2 } } },
  };
  const hub = keep(await startTestHub({ config }));
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const calls = Array.from({ length: 5 }, () =>
    agent.request('tools/call', { name: 'up__t', arguments: {} }),
  );
  await until(() => waiting.length === 5, 'calls at the upstream');
  for (const answer of waiting) answer();
  // The answers are written; nobody reads them for longer than the call may take.
  await Promise.resolve();
  const from = performance.now();
  while (performance.now() - from < 1_500);
  for (const { message } of await Promise.all(calls)) expect(JSON.stringify(message)).toContain('fine');
  expect(await eventsOf(hub, 'connector.breaker_opened')).toEqual([]);
});

describe('F37: beside programs that take every processor', () => {
  let folder = '';
  let hub: HubProcess;
  const hogs: { kill(signal: 'SIGKILL'): boolean }[] = [];
  const upstreams: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-starved-'));
    const upstream = await startUpstream({ tools: TOOLS, call: () => FINE });
    upstreams.push(upstream);
    hub = await startHubProcess(folder, {
      connectors: {
        up: { url: upstream.url, timeouts: { requestMs: 5_000 }, limits: { breakerFailures: 1 } },
      },
    });
    for (let n = 0; n < 2; n++) hogs.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  });
  afterAll(async () => {
    for (const hog of hogs) hog.kill('SIGKILL');
    await hub?.close();
    for (const upstream of upstreams) await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('calls take longer, and none of them fails', async () => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    const call = async () =>
      JSON.stringify((await agent.request('tools/call', { name: 'up__t', arguments: {} })).message);
    const deadline = performance.now() + 20_000;
    while (!(await call()).includes('fine'))
      if (performance.now() > deadline) throw new Error('never a first call');
    const callers = Array.from({ length: 8 }, async () => {
      const answers: string[] = [];
      for (let n = 0; n < 5; n++) answers.push(await call());
      return answers;
    });
    const answers = (await Promise.all(callers)).flat();
    expect(answers.filter((text) => !text.includes('fine'))).toEqual([]);
  });
});

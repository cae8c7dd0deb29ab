import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { startHubProcess } from '../support/hub-process.js';
import { processesWith } from '../support/processes-with.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';
import { peerScript } from '../support/stdio/peers.js';

/** The hub is killed in the middle of its work, and starts again on what it left behind. */

const CALLERS = 8;
const ENOUGH = 300;

/** A number as the trace of a call, by which it is found in the log. */
const traceOf = (n: number): string => `00-${n.toString(16).padStart(32, '0')}-00f067aa0ba902b7-01`;

interface Seen {
  /** Calls that were carried out, in the words of the upstream. */
  readonly executed: readonly number[];
  /** Calls whose result a client has seen. */
  readonly answered: readonly number[];
}

/** Calls without end until the hub is gone. */
async function callUntilKilled(folder: string): Promise<Seen> {
  const ledger = join(folder, 'ledger.jsonl');
  const connector = {
    command: process.execPath,
    args: [peerScript('plain-server.mjs'), ledger],
    limits: { concurrency: 100 },
  };
  const hub = await startHubProcess(folder, { connectors: { plain: connector } });
  const answered: number[] = [];
  let next = 1;
  const caller = async (): Promise<void> => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
    for (;;) {
      const n = next++;
      const { message } = await agent.request('tools/call', {
        name: 'plain__echo',
        arguments: { n },
        _meta: { traceparent: traceOf(n) },
      });
      if (message?.['result'] === undefined)
        throw new Error(`an answer without a result: ${JSON.stringify(message)}`);
      answered.push(n);
    }
  };
  try {
    await waitForTool(hub.url, hub.localKey);
    const callers = Promise.allSettled(Array.from({ length: CALLERS }, caller));
    await until(() => answered.length >= ENOUGH, `${ENOUGH} answers`, 40_000);
    await hub.kill();
    await callers;
  } finally {
    await hub.close();
  }
  const lines = readFileSync(ledger, 'utf8').trim().split('\n');
  const executed = lines.map((line) => (JSON.parse(line) as { args: { n: number } }).args.n);
  return { executed, answered };
}

async function waitForTool(url: string, key: string): Promise<void> {
  const agent = await openRawAgent({ url: `${url}/mcp`, key, era: 'legacy' });
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { message } = await agent.request('tools/list');
    if (JSON.stringify(message).includes('plain__echo')) return;
    if (Date.now() > deadline) throw new Error('the tools were not listed in time');
  }
}

describe('kill -9 under load', () => {
  let folder = '';
  let seen: Seen;
  let hub: TestHub;
  let restartMs = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-crash-'));
    seen = await callUntilKilled(folder);
    const before = performance.now();
    hub = await startTestHub({ folder });
    restartMs = performance.now() - before;
  });
  afterAll(async () => {
    await hub?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('it is ready again soon', () => {
    expect(restartMs).toBeLessThan(10_000);
  });

  test('every call that was carried out was written down before', async () => {
    const intended = new Set((await eventsOf(hub, 'call.intended')).map(({ trace }) => trace));
    const unrecorded = seen.executed.filter((n) => !intended.has(traceOf(n)));
    expect(seen.executed.length).toBeGreaterThanOrEqual(ENOUGH);
    expect(unrecorded).toEqual([]);
  });

  test('no call was carried out twice, and each that was answered was carried out', () => {
    expect(new Set(seen.executed).size).toBe(seen.executed.length);
    const executed = new Set(seen.executed);
    expect(seen.answered.filter((n) => !executed.has(n))).toEqual([]);
  });

  test('what was under way is said to be of unknown outcome, exactly once', async () => {
    const intended = await eventsOf(hub, 'call.intended');
    const finished = await eventsOf(hub, 'call.finished');
    expect(finished.map(({ callId }) => callId).toSorted()).toEqual(
      intended.map(({ callId }) => callId).toSorted(),
    );
    const unknown = finished.filter(({ outcome }) => outcome === 'outcome_unknown');
    expect(await eventsOf(hub, 'hub.recovered')).toEqual(
      unknown.length === 0 ? [] : [{ type: 'hub.recovered', unfinishedCalls: unknown.length }],
    );
    expect(await hub.running.hub.storage.events.unfinishedCalls()).toEqual([]);
  });

  test('the chain is whole', async () => {
    await hub.running.hub.events.flush();
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
  });

  test('no process of either hub is left', async () => {
    await hub.running.stop();
    await until(() => processesWith(join(folder, 'ledger.jsonl')) === 0, 'the end of all processes');
    expect(processesWith(join(folder, 'ledger.jsonl'))).toBe(0);
  });
});

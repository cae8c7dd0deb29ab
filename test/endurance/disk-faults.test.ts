import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import type * as NodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { verifyChain } from '../../src/governance/index.js';
import { eventsOf, recordsOf } from '../support/hub-events.js';
import { startHubProcess } from '../support/hub-process.js';
import { HUB_PROGRAM } from '../support/hub-program.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** A disk that fails to confirm, is slow to, or loses what it has not confirmed. */

const { disk } = vi.hoisted(() => ({
  disk: {
    /** Runs instead of the confirmation. */
    confirm: undefined as ((confirm: () => void) => void) | undefined,
    /** How much of the journal is confirmed. */
    confirmedBytes: 0,
  },
}));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof NodeFs>();
  return {
    ...fs,
    fdatasyncSync(file: number): void {
      const confirm = (): void => {
        fs.fdatasyncSync(file);
        disk.confirmedBytes = fs.fstatSync(file).size;
      };
      if (disk.confirm === undefined) confirm();
      else disk.confirm(confirm);
    },
    ftruncateSync(file: number, length = 0): void {
      fs.ftruncateSync(file, length);
      disk.confirmedBytes = Math.min(disk.confirmedBytes, length);
    },
  };
});

const keep = closeAfterEach();
const SLOW_DISK = join(ROOT, 'test', 'support', 'slow-disk.mjs');
afterEach(() => void (disk.confirm = undefined));

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-disk-'));
  keep({ close: () => rmSync(folder, { recursive: true, force: true }) });
  let executed = 0;
  const upstream = keep(
    await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      call: () => {
        executed++;
        return { content: [{ type: 'text', text: 'fine' }] };
      },
    }),
  );
  const config = { connectors: { up: { url: upstream.url } }, audit: { durability: 'disk' } };
  const start = async (at = folder): Promise<TestHub> => {
    const hub = keep(await startTestHub({ folder: at, config }));
    await waitForSync(hub, 'up');
    return hub;
  };
  const callAt = async ({ url, localKey }: Pick<TestHub, 'url' | 'localKey'>) => {
    const agent = await openRawAgent({ url: `${url}/mcp`, key: localKey, era: 'modern' });
    return async () => JSON.stringify((await agent.request('tools/call', { name: 'up__t' })).message);
  };
  return { folder, config, start, callAt, executed: () => executed };
}

const readiness = async (hub: TestHub): Promise<number> => (await fetch(`${hub.url}/ready`)).status;

test('F16: after a confirmation that failed nothing is trusted or done until the next start', async () => {
  const { start, callAt, executed } = await setUp();
  const hub = await start();
  const call = await callAt(hub);
  expect(await call()).toContain('fine');
  await recordsOf(hub);
  disk.confirm = () => {
    throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  };
  expect(await call()).toContain('the event log cannot be written');
  disk.confirm = undefined;
  // The disk says that all is well again. It said so before.
  for (let n = 0; n < 3; n++) expect(await call()).toContain('the event log cannot be written');
  expect(await readiness(hub)).toBe(503);
  expect((await fetch(`${hub.url}/health`)).status).toBe(200);
  expect(executed()).toBe(1);
  await hub.running.stop();

  const again = await start();
  expect(await readiness(again)).toBe(200);
  expect(await (await callAt(again))()).toContain('fine');
  // What was written and not confirmed may be there or not; nobody can say of it that it was not begun.
  const outcomes = (await eventsOf(again, 'call.finished')).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(2);
  expect(
    outcomes.filter((outcome) => outcome !== 'ok').every((outcome) => outcome === 'outcome_unknown'),
  ).toBe(true);
  expect(await verifyChain(again.running.hub.storage.events)).toMatchObject({ ok: true });
});

test('F17: with a slow disk calls share its confirmations', async () => {
  const { folder, config, callAt } = await setUp();
  const notes = join(folder, 'notes');
  const hub = keep(
    await startHubProcess(folder, config, ['--import', SLOW_DISK, ...HUB_PROGRAM], [], {
      environment: { SLOW_DISK_MS: '100', SLOW_DISK_NOTES: notes },
    }),
  );
  const call = await callAt(hub);
  const callAll = () => Promise.all(Array.from({ length: 40 }, () => call()));
  await vi.waitFor(async () => expect(await call()).toContain('fine'), { timeout: 20_000 });
  const before = statSync(notes).size;
  const answers = [await callAll(), await callAll()].flat();
  expect(answers.filter((text) => !text.includes('fine'))).toEqual([]);
  // Each call has a beginning and an end to write: one by one they would be a hundred and sixty.
  expect(statSync(notes).size - before).toBeLessThanOrEqual(50);
});

describe('F55: the power goes', () => {
  test('whatever was acknowledged is in what the disk had confirmed', async () => {
    const { folder, start, callAt } = await setUp();
    const hub = await start();
    const call = await callAt(hub);
    const copies: { readonly folder: string; readonly answered: number }[] = [];
    let answered = 0;
    for (let copy = 0; copy < 3; copy++) {
      const calls = Array.from({ length: 10 + 7 * copy }, async () => {
        if ((await call()).includes('fine')) answered++;
      });
      await Promise.race(calls);
      // The files as they are, the journal without what is not confirmed.
      const to = join(folder, `copy-${copy}`);
      const known = answered;
      mkdirSync(to);
      // By another process: closing a file of an open store in this one would drop the locks on it.
      execFileSync('cp', ['-r', join(folder, 'data'), to]);
      const journal = readdirSync(join(to, 'data')).find((name) => name.endsWith('-events')) ?? '';
      const path = join(to, 'data', journal);
      truncateSync(path, Math.min(disk.confirmedBytes, statSync(path).size));
      copies.push({ folder: to, answered: known });
      await Promise.all(calls);
    }
    await hub.running.stop();
    for (const { folder: at, answered: known } of copies) {
      const copy = await start(at);
      const intents = await eventsOf(copy, 'call.intended');
      expect(intents.length).toBeGreaterThanOrEqual(known);
      expect(known).toBeGreaterThan(0);
      expect(await verifyChain(copy.running.hub.storage.events)).toMatchObject({ ok: true });
      await copy.running.stop();
    }
  });
});

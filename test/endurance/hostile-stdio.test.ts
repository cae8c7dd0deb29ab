import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HubEvent } from '../../src/governance/index.js';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { processesWith } from '../support/processes-with.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { peerScript } from '../support/stdio/peers.js';

/** Processes that break the rules, each in its own way, all behind one hub at the same time. */

type Finished = Extract<HubEvent, { type: 'call.finished' }>;

interface Row {
  readonly id: string;
  readonly outcome: string;
  readonly error?: string;
  /** In the answer to the client. */
  readonly says?: RegExp;
  /** Whether the next call works. */
  readonly goesOn?: boolean;
}

const ok = (id: string, says: RegExp): Row => ({ id, outcome: 'ok', says });
const lost = (id: string, error: string): Row => ({ id, outcome: 'outcome_unknown', error });

const ROWS: Readonly<Record<string, Row>> = {
  'crash-on-call': lost('P-2', 'upstream_closed'),
  'segv-on-call': lost('P-2', 'upstream_closed'),
  'garbage-first': ok('P-3', /pid/),
  'garbage-between': ok('P-3', /after garbage/),
  'bad-lines': lost('P-3', 'upstream_closed'),
  'partial-line': lost('P-4', 'upstream_closed'),
  'no-newline-flood': lost('P-4', 'upstream_too_large'),
  'huge-line': lost('P-4', 'upstream_too_large'),
  'stderr-flood': ok('P-5', /pid/),
  'stdout-flood': ok('P-5', /after the flood/),
  'wrong-id': lost('P-6', 'upstream_timeout'),
  both: lost('U-13', 'upstream_protocol'),
  neither: lost('U-13', 'upstream_protocol'),
  'no-jsonrpc': lost('U-13', 'upstream_protocol'),
  'dup-response': ok('P-6', /first/),
  unsolicited: ok('P-6', /true answer/),
  hang: lost('P-7', 'upstream_timeout'),
  'slow-init': ok('P-7', /pid/),
  'ignore-sigterm': ok('P-8', /pid/),
  grandchild: ok('P-8', /pid/),
  'close-stdout': lost('P-9', 'upstream_closed'),
  'stop-reading': lost('P-9', 'upstream_timeout'),
  env: ok('P-10', /env/),
  'memory-hog': lost('P-11', 'upstream_closed'),
  'cpu-hog': lost('P-11', 'upstream_closed'),
  'process-hog': lost('P-11', 'upstream_closed'),
};
/** Whoever waits for these waits in vain; all others are given time to start, however busy the machine. */
const SILENT = new Set(['wrong-id', 'hang', 'stop-reading']);
const BROKEN = ['exit-0', 'exit-1', 'exit-on-init', 'hang-init'] as const;

const LIMITS: Readonly<Record<string, object>> = {
  'memory-hog': { memoryBytes: 256 * 1024 * 1024 },
  'cpu-hog': { cpuSeconds: 1 },
  'process-hog': { processes: 3 },
};

const SECRET = 'hunter2-hunter2';
let folder = '';
let ledger = '';
let hub: TestHub;
const answers = new Map<string, string>();
const next = new Map<string, string>();
let finished: readonly Finished[] = [];
let grownBy = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-hostile-'));
  ledger = join(folder, 'ledger');
  const connectorOf = (mode: string) => ({
    command: process.execPath,
    args: [peerScript('hostile.mjs'), mode, ledger],
    env: { SECRET },
    era: 'legacy',
    retries: 0,
    timeouts: { requestMs: mode === 'hang-init' ? 300 : SILENT.has(mode) ? 5_000 : 30_000 },
    limits: { responseBytes: 1_000_000, ...LIMITS[mode] },
  });
  const modes = [...Object.keys(ROWS), ...BROKEN];
  hub = await startTestHub({
    config: { connectors: Object.fromEntries(modes.map((mode) => [mode, connectorOf(mode)])) },
    environment: { DATABASE_PASSWORD: 'not-for-children' },
  });
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const call = async (name: string) =>
    JSON.stringify((await agent.request('tools/call', { name, arguments: {} })).message);
  const before = process.memoryUsage().rss;
  await Promise.all(
    Object.keys(ROWS).map(async (mode) => {
      await waitForSync(hub, mode, 50_000);
      answers.set(mode, await call(`${mode}__bad`));
      // A machine so busy that a process did not start in time has used up the restart that comes at once.
      for (let n = 0; n < 20 && /undefined|started again soon/.test(next.get(mode) ?? 'undefined'); n++) {
        if (n > 0) await new Promise((resolve) => setTimeout(resolve, 250));
        next.set(mode, await call(`${mode}__fine`));
      }
    }),
  );
  grownBy = process.memoryUsage().rss - before;
  finished = await eventsOf(hub, 'call.finished');
}, 90_000);

afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(Object.entries(ROWS))('%s', (mode, row) => {
  const record = finished.find(({ exposedName }) => exposedName === `${mode}__bad`);
  expect([row.id, record?.outcome, record?.error]).toEqual([row.id, row.outcome, row.error]);
  expect(answers.get(mode)).toMatch(row.says ?? /may have been carried out/);
});

test.each(Object.keys(ROWS).filter((mode) => mode !== 'stop-reading'))(
  '%s: the next call is answered, by a new process where the old one is gone',
  (mode) => {
    expect(next.get(mode)).toMatch(/pid/);
  },
);

test('no call was carried out twice', () => {
  const lines = readFileSync(ledger, 'utf8').trim().split('\n');
  expect(lines.filter((line) => line.endsWith(' bad')).length).toBe(Object.keys(ROWS).length);
  expect(new Set(lines).size).toBe(lines.length);
});

test('P-4: memory stays bounded', () => {
  expect(grownBy / 1024 / 1024).toBeLessThan(256);
});

test('P-10: a process sees its own variables and none of the hub', () => {
  expect(answers.get('env')).toContain(SECRET);
  expect(answers.get('env')).not.toMatch(/not-for-children|NODE_OPTIONS|CROSSPOINT/);
});

test('P-10: a process that was not told where runs in an empty folder of its own', async () => {
  const path = join(hub.folder, 'data', 'work', 'env');
  expect(answers.get('env')).toContain(JSON.stringify(JSON.stringify({ cwd: path })).slice(4, -4));
  expect([statSync(path).mode & 0o777, readdirSync(path)]).toEqual([0o700, []]);
});

test.each([
  ['memory-hog', 'more memory than 268435456 bytes'],
  ['cpu-hog', 'more than 1 s of processor time'],
  ['process-hog', 'more processes than 3'],
])('P-11: %s was ended, and caller and admin are told why', async (mode, what) => {
  expect(answers.get(mode)).toContain('used more than its limits allow and was ended');
  const { lines } = (await admin(hub, 'GET', `/connectors/${mode}/logs`)).body as { lines: string[] };
  expect(lines).toContain(`the process used ${what}; the process was killed`);
});

describe('P-1: processes that do not stay', () => {
  const health = async (id: string) => (await admin(hub, 'GET', `/connectors/${id}/health`)).body;

  test.each(BROKEN)('%s: failed after five ends, and started no more; a sync tries again', async (mode) => {
    for (let n = 0; n < 6; n++) {
      if ((await health(mode))['state'] === 'failed') break;
      await admin(hub, 'POST', `/connectors/${mode}/sync`);
    }
    expect(await health(mode)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('ended 5 times within a minute') as string,
    });
    const synced = await admin(hub, 'POST', `/connectors/${mode}/sync`);
    expect(synced.status).not.toBe(200);
    expect(JSON.stringify(synced.body)).not.toContain('process_failed');
    expect((await health(mode))['state']).toBe('failed');
  });

  test('what they said last is shown, without the secrets they were given', async () => {
    const { lines } = (await admin(hub, 'GET', '/connectors/exit-1/logs')).body as { lines: string[] };
    expect(lines).toContain('cannot open the database with ***');
  });

  test('the change is in the event log', async () => {
    const changes = await eventsOf(hub, 'connector.health');
    expect(
      changes
        .filter(({ to }) => to === 'failed')
        .map(({ connector }) => String(connector))
        .toSorted(),
    ).toEqual([...BROKEN].toSorted());
  });
});

test('P-8: when the hub stops nothing of them is left', async () => {
  const startedAt = performance.now();
  await hub.running.stop();
  await until(() => processesWith(ledger) === 0, 'the end of all processes');
  expect(performance.now() - startedAt).toBeLessThan(15_000);
}, 30_000);

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';

/** Fifty processes behind a hub that ends without a word. Half of them do not notice. */

const EACH = 25;
const KINDS = ['polite', 'stubborn'] as const;
const SCRIPT = join(ROOT, 'test', 'support', 'stdio', 'tiny.sh');

describe.runIf(process.platform === 'linux')('P-12: a hub with 50 processes is killed', () => {
  let folder = '';
  const hubs: HubProcess[] = [];

  const withWords = (...wanted: readonly string[]): readonly number[] =>
    readdirSync('/proc')
      .filter((pid) => {
        if (!/^\d+$/.test(pid)) return false;
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return wanted.every((word) => words.includes(word));
        } catch {
          return false;
        }
      })
      .map(Number);

  /** Those of a kind that live; `sleep` and the like of theirs do not count. */
  const living = (kind: string): number => withWords(folder, kind).length;

  /** Seldom: each look reads the whole process table. */
  const untilLiving = async (kind: string, count: number, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs;
    while (living(kind) !== count) {
      if (performance.now() > deadline) throw new Error(`${living(kind)} ${kind} processes, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-fifty-'));
  });
  afterAll(async () => {
    for (const hub of hubs) await hub.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const startWithFifty = async (): Promise<HubProcess> => {
    const connectors = KINDS.flatMap((kind) =>
      Array.from({ length: EACH }, (_, n) => [
        `${kind}-${n}`,
        { command: 'sh', args: [SCRIPT, kind, folder], era: 'legacy', retries: 0 },
      ]),
    );
    const hub = await startHubProcess(folder, { connectors: Object.fromEntries(connectors) });
    hubs.push(hub);
    for (const kind of KINDS) await untilLiving(kind, EACH, 60_000);
    return hub;
  };

  test('all are gone in five seconds, and its guard too', async () => {
    const hub = await startWithFifty();
    const guard = (): readonly number[] => withWords('crosspoint-guard', String(hub.pid));
    expect(guard()).toHaveLength(1);
    await hub.kill();
    for (const kind of KINDS) await untilLiving(kind, 0, 5_000);
    expect(guard()).toEqual([]);
  }, 120_000);

  test('F44: without its guard, those that do not notice are ended by the next start, which waits for no upstream', async () => {
    const hub = await startWithFifty();
    for (const pid of withWords('crosspoint-guard', String(hub.pid))) process.kill(pid, 'SIGKILL');
    await hub.kill();
    await untilLiving('polite', 0, 5_000);
    // One that is just starting its `sleep` is there twice.
    expect(living('stubborn')).toBeGreaterThanOrEqual(EACH);
    const dead = Array.from({ length: 50 }, (_, n) => [`dead-${n}`, { url: 'http://127.0.0.1:9/mcp' }]);
    const next = await startHubProcess(folder, { connectors: Object.fromEntries(dead) });
    hubs.push(next);
    expect((await fetch(`${next.url}/ready`)).status).toBe(200);
    await untilLiving('stubborn', 0, 10_000);
  }, 120_000);
});

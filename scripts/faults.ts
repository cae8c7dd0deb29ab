import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../bench/statistics.js';
import { findViolations, runStorm } from '../test/support/kill-storm.js';
import { ROOT } from './repository.js';

/**
 * Kills a hub at random moments under load and compares what clients, hub and upstream saw. Runs the built program.
 * Usage: npm run build && npm run faults [-- kills]
 */

const READY_LIMIT_MS = 2_000;
const kills = Number(process.argv[2] ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'crosspoint-faults-'));
const startedAt = performance.now();
try {
  const seen = await runStorm({
    folder,
    kills,
    lifeMs: [100, 2_300],
    callers: 8,
    // Some hundred calls a second: what is measured is how a hub comes back, and the machine has two cores.
    restMs: 15,
    program: [join(ROOT, 'dist', 'cli', 'index.js')],
    onKill: (kill, readyMs) => {
      if (kill % 10 === 0)
        console.log(`kill ${kill + 1} of ${kills}: had been ready after ${Math.round(readyMs)} ms`);
    },
  });
  const spread = (values: readonly number[]): string => {
    const at = (share: number): number => Math.round(quantile(values, share));
    return `${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (longest)`;
  };
  const violations = findViolations(seen);
  console.log(`${kills} kills in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  console.log(
    `${seen.answered.length} answers, ${seen.refused.length} errors, ${seen.unanswered.length} calls without an answer, ${seen.executed.length} executions, ${seen.intended.length} intents`,
  );
  console.log(`${seen.acknowledged.length} acknowledged writes`);
  const late = seen.readyMs.filter((ms) => ms > READY_LIMIT_MS).length;
  console.log(
    `ready after ${spread(seen.readyMs)}; ${late} of ${kills} after more than ${READY_LIMIT_MS} ms`,
  );
  console.log(`of that on a processor: ${spread(seen.startCpuMs)}`);
  console.log(`log: ${JSON.stringify(seen.chain)}`);
  for (const violation of violations) console.log(`BROKEN ${violation}`);
  console.log(violations.length === 0 ? 'all rules hold' : `${violations.length} rules broken`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

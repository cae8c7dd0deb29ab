/**
 * Drives the built hub for long: sessions, streams, questions, cancellations and processes come and go. Prints a line for each quiet
 * moment; ends with 1 if an answer was lost or crossed, a call was carried out twice, or something was not given back.
 *
 * `npm run build && npm run soak -- --minutes 60 --rate 500`; `--agents <n>` (50), `--sample <seconds>` (30), `--seed <n>` (1),
 * `--slope <MB per hour>` (20).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBroken, slopeOf } from '../test/support/soak/judge-soak.js';
import { runSoak } from '../test/support/soak/run-soak.js';
import { ROOT } from './repository.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '500' },
    agents: { type: 'string', default: '50' },
    sample: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    slope: { type: 'string', default: '20' },
  },
});
/** In less time memory is still finding its size. */
const SHORTEST_SLOPE_S = 20 * 60;
const DESCRIPTOR_SLACK = 64;
const seconds = Number(values.minutes) * 60;
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-soak-'));
try {
  const report = await runSoak({
    folder,
    seconds,
    rate: Number(values.rate),
    agents: Number(values.agents),
    idleStopMs: 2_000,
    sampleSeconds: Number(values.sample),
    quietMs: 20_000,
    children: 0,
    seed: Number(values.seed),
    program: [join(ROOT, 'dist', 'cli', 'index.js')],
    onSample: ({ at, rssBytes, heapBytes, descriptors, children, sessions, parked }, made) =>
      console.log(
        `${at.toFixed(0)} s: ${made} calls, ${mb(rssBytes)} MB, heap ${mb(heapBytes)} MB, ${descriptors} descriptors, ` +
          `${children} processes, ${sessions} sessions, ${parked} parked`,
      ),
  });
  const { counts, examples, samples } = report;
  const isLong = seconds >= SHORTEST_SLOPE_S;
  console.log(
    `${counts.made} calls in ${report.seconds.toFixed(0)} s: ${counts.answered} answered, ${counts.cancelled} cancelled, ` +
      `${counts.refused} refused, ${counts.lost} lost, ${counts.crossed} crossed, ${counts.doubled} carried out twice`,
  );
  console.log(
    `memory: ${mb(slopeOf(samples, ({ rssBytes }) => rssBytes))} MB per hour, heap ${mb(slopeOf(samples, ({ heapBytes }) => heapBytes))} MB per hour` +
      (isLong ? '' : ' (too short to judge)'),
  );
  for (const line of examples) console.log(`  ${line}`);
  const broken = findBroken(report, {
    slopeBytesPerHour: isLong ? Number(values.slope) * 1e6 : undefined,
    descriptorSlack: DESCRIPTOR_SLACK,
    children: 0,
  });
  for (const line of broken) console.log(`BROKEN ${line}`);
  console.log(broken.length === 0 ? 'all bounds hold' : `${broken.length} bounds broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import type { CallCounts } from './call-book.js';
import type { Gauges } from './gauges.js';

export interface SoakReport {
  readonly counts: CallCounts;
  /** Sessions that were left without a word and have not run out yet. */
  readonly abandoned: number;
  /** Calls that still wait for an answer which the hub had no room to take. */
  readonly unheard: number;
  /** At quiet moments; the first after everything was used once. */
  readonly samples: readonly Gauges[];
  readonly seconds: number;
  readonly examples: readonly string[];
}

export interface SoakBounds {
  /** Undefined: the run is too short to tell. */
  readonly slopeBytesPerHour: number | undefined;
  /** Connections that are kept open come and go. */
  readonly descriptorSlack: number;
  readonly children: number;
}

/** Growth per hour over the second half, by least squares. */
export function slopeOf(samples: readonly Gauges[], value: (gauges: Gauges) => number): number {
  const half = samples.slice(Math.floor(samples.length / 2));
  const meanAt = half.reduce((sum, { at }) => sum + at, 0) / half.length;
  const meanValue = half.reduce((sum, one) => sum + value(one), 0) / half.length;
  const spread = half.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  if (half.length < 2 || spread === 0) return 0;
  return (half.reduce((sum, one) => sum + (one.at - meanAt) * (value(one) - meanValue), 0) / spread) * 3_600;
}

/** Each broken rule in words. */
export function findBroken(report: SoakReport, bounds: SoakBounds): readonly string[] {
  const { counts, samples, abandoned } = report;
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return ['nothing was measured'];
  const earlier = samples.slice(0, Math.ceil(samples.length / 2));
  const descriptors = Math.max(...earlier.map((one) => one.descriptors));
  const broken: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) broken.push(what);
  };
  const { made, answered, refused, cancelled, lost } = counts;
  must(answered > 0, 'no call was answered');
  must(lost === 0, `${lost} answers lost`);
  must(counts.crossed === 0, `${counts.crossed} answers crossed`);
  must(counts.doubled === 0, `${counts.doubled} calls carried out more than once`);
  must(counts.invented === 0, `${counts.invented} answers to calls that nobody carried out`);
  must(made === answered + refused + cancelled + lost, 'calls without an end');
  must(last.children <= bounds.children, `${last.children} processes left`);
  must(last.parked <= report.unheard, `${last.parked} calls still parked`);
  must(
    last.sessions <= first.sessions + abandoned,
    `${last.sessions} sessions, ${abandoned} of them abandoned`,
  );
  must(
    last.descriptors <= descriptors + bounds.descriptorSlack,
    `${last.descriptors} descriptors, ${descriptors} before`,
  );
  const slope = slopeOf(samples, ({ rssBytes }) => rssBytes);
  if (bounds.slopeBytesPerHour !== undefined)
    must(slope <= bounds.slopeBytesPerHour, `memory grows by ${(slope / 1e6).toFixed(1)} MB per hour`);
  return broken;
}

import { table } from '../report.js';
import { judgeHub, verdictTable } from './judge-hub.js';
import type { HubFigures, HubReport } from './measure-hub.js';
import { OURS } from './targets.js';

const HEADER = [
  'work',
  'who',
  'calls/s',
  'of nginx',
  `${OURS} is`,
  'p50 µs',
  'p99 µs',
  'CPU µs per call',
  'RSS MB',
  'errors',
];

/** The report as Markdown. Ratios are of calls per second, within the same work. */
export function hubMarkdown(report: HubReport): string {
  const { figures, missing, idle, pipe, load } = report;
  return [
    `Load: ${load}.`,
    '',
    ...table(
      HEADER,
      figures.map((each) => rowOf(each, figures)),
    ),
    '',
    ...(idle === undefined
      ? []
      : [
          `Idle hub: ${idle.rssMegabytes.toFixed(0)} MB; ${idle.sessions} idle sessions add ${idle.kilobytesPerSession.toFixed(1)} kB each.`,
          '',
        ]),
    ...(pipe === undefined
      ? []
      : [
          `Over a bare pipe the child that does the least answers ${pipe.least.toFixed(0)} calls/s, the one of the SDK ${pipe.sdk.toFixed(0)}.`,
          '',
        ]),
    ...verdictTable(judgeHub(report)),
    '',
    ...missing.map(({ name, why }) => `Not measured: ${name}, ${why}.`),
  ].join('\n');
}

function rowOf(each: HubFigures, all: readonly HubFigures[]): readonly string[] {
  // Nobody in front of a modern upstream is measured, so that era is compared with the other one.
  const alike = all.filter(
    ({ work, connections, era }) =>
      work === each.work && connections === each.connections && era === 'legacy',
  );
  const ratio = (name: string, of: (other: number) => number): string => {
    const other = alike.find((one) => one.name === name);
    return other === undefined || other === each ? '' : `${of(other.callsPerSecond).toFixed(2)}x`;
  };
  return [
    `${each.work}, ${each.connections} conn.${each.era === 'modern' ? ', modern' : ''}`,
    each.name,
    each.callsPerSecond.toFixed(0),
    ratio('nginx', (other) => each.callsPerSecond / other),
    ratio(OURS, (other) => other / each.callsPerSecond),
    each.p50Micros.toFixed(0),
    each.p99Micros.toFixed(0),
    each.cpuMicrosPerCall.toFixed(1),
    each.rssMegabytes.toFixed(0),
    String(each.errors),
  ];
}

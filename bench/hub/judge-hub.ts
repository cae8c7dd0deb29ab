import { table } from '../report.js';
import { STDIO_LABELS, type HubFigures, type HubReport } from './measure-hub.js';
import { OURS } from './targets.js';

interface Verdict {
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly met: boolean;
}

type Side = 'legacy' | 'modern';

/** Every target of the hub beside what was found. What could not be measured is not judged. */
export function judgeHub({ figures, idle, pipe }: HubReport): readonly Verdict[] {
  const of = (
    name: string,
    work: string,
    connections: number,
    era: Side = 'legacy',
  ): HubFigures | undefined =>
    figures.find(
      (one) => one.name === name && one.work === work && one.connections === connections && one.era === era,
    );
  const verdicts: Verdict[] = [];
  const atLeast = (what: string, limit: number, unit: string, found: number | undefined): void => {
    if (found === undefined || !Number.isFinite(found)) return;
    verdicts.push({
      what,
      wanted: `at least ${limit}${unit}`,
      found: shown(found, unit),
      met: found >= limit,
    });
  };
  const atMost = (what: string, limit: number, unit: string, found: number | undefined): void => {
    if (found === undefined || !Number.isFinite(found)) return;
    verdicts.push({
      what,
      wanted: `at most ${limit}${unit}`,
      found: shown(found, unit),
      met: found <= limit,
    });
  };
  const rate = (
    work: string,
    connections: number,
    other: string,
    era: Side = 'legacy',
  ): number | undefined => {
    const ours = of(OURS, work, connections, era);
    const theirs = of(other, work, connections);
    return ours && theirs && ours.callsPerSecond / theirs.callsPerSecond;
  };
  atLeast('echo, 32 connections, calls/s of nginx', 0.3, 'x', rate('echo', 32, 'nginx'));
  atLeast('echo, 32 connections, calls/s of mcp-proxy', 8, 'x', rate('echo', 32, 'mcp-proxy'));
  atLeast(
    'echo, 32 connections, calls/s of a pass-through of SDK v1',
    25,
    'x',
    rate('echo', 32, 'pass-through of SDK v1'),
  );
  atMost('echo, 32 connections, CPU of a call', 75, ' µs', of(OURS, 'echo', 32)?.cpuMicrosPerCall);
  const alone = of(OURS, 'echo', 1);
  const nginx = of('nginx', 'echo', 1);
  atMost(
    'echo, 1 connection, p50 over that of nginx',
    150,
    ' µs',
    alone && nginx && alone.p50Micros - nginx.p50Micros,
  );
  atMost(
    'echo, 1 connection, p99 over that of nginx',
    2_000,
    ' µs',
    alone && nginx && alone.p99Micros - nginx.p99Micros,
  );
  atLeast('echo, 256 connections, calls/s of nginx', 0.25, 'x', rate('echo', 256, 'nginx'));
  atLeast('list of 200 tools, calls/s of nginx', 1.5, 'x', rate('list of 200 tools', 8, 'nginx'));
  atLeast('1 MiB result, calls/s of nginx', 0.55, 'x', rate('1 MiB result', 8, 'nginx'));
  atLeast(
    '20 progress notifications, calls/s of nginx',
    0.95,
    'x',
    rate('20 progress notifications', 8, 'nginx'),
  );
  const modern = of(OURS, 'echo', 32, 'modern');
  const legacy = of(OURS, 'echo', 32);
  atLeast(
    'echo, modern era, calls/s of the other era',
    0.9,
    'x',
    modern && legacy && modern.callsPerSecond / legacy.callsPerSecond,
  );
  const child = of(OURS, STDIO_LABELS.sdk, 32);
  atLeast(
    'stdio upstream of the SDK, 32 under way, of its rate over a bare pipe',
    0.5,
    'x',
    child && pipe && child.callsPerSecond / pipe.sdk,
  );
  atMost('memory of an idle hub', 90, ' MB', idle?.rssMegabytes);
  atMost('memory of an idle session', 12, ' kB', idle?.kilobytesPerSession);
  return verdicts;
}

function shown(value: number, unit: string): string {
  return `${Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(0)}${unit}`;
}

export function verdictTable(verdicts: readonly Verdict[]): readonly string[] {
  return table(
    ['target', 'wanted', 'found', ''],
    verdicts.map(({ what, wanted, found, met }) => [what, wanted, found, met ? 'met' : 'missed']),
  );
}

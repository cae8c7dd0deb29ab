import type { CallFigures } from './measure-calls.js';
import type { DecodingFigures } from './measure-decoding.js';

export interface BenchReport {
  /** What it was measured on. */
  readonly machine: string;
  readonly rounds: number;
  readonly secondsPerRound: number;
  readonly decoding: readonly DecodingFigures[];
  readonly servers: readonly CallFigures[];
  readonly clients: readonly CallFigures[];
}

const OURS = 'Crosspoint';

/** The report as Markdown. Ratios say how many times ours is as fast, or how many times its cost the other has. */
export function toMarkdown(report: BenchReport): string {
  return [
    `${report.machine}; medians of ${report.rounds} interleaved rounds of ${report.secondsPerRound} s`,
    '',
    ...decodingTable(report.decoding),
    '',
    ...callTable('server', report.servers),
    '',
    ...callTable('client', report.clients),
    '',
  ].join('\n');
}

function decodingTable(figures: readonly DecodingFigures[]): readonly string[] {
  const speed = (events: string, decoder: string): number =>
    figures.find((each) => each.events === events && each.decoder === decoder)?.megabytesPerSecond ?? 0;
  const rows = [...new Set(figures.map((each) => each.events))].map((events) => {
    const ours = speed(events, 'crosspoint');
    const other = speed(events, 'eventsource-parser');
    return [events, ours.toFixed(0), other.toFixed(0), times(ours / other)];
  });
  return table(['events of', 'Crosspoint, MB/s', 'eventsource-parser, MB/s', 'ratio'], rows);
}

function callTable(side: string, figures: readonly CallFigures[]): readonly string[] {
  const rows = figures.map((each) => {
    const ours = figures.find((other) => other.name === OURS && other.era === each.era);
    const { name, era, callsPerSecond, cpuMicrosPerCall } = each;
    const ratios =
      ours === undefined || ours === each
        ? ['', '']
        : [times(ours.callsPerSecond / callsPerSecond), times(cpuMicrosPerCall / ours.cpuMicrosPerCall)];
    return [
      name,
      era,
      callsPerSecond.toFixed(0),
      ratios[0] ?? '',
      cpuMicrosPerCall.toFixed(1),
      ratios[1] ?? '',
    ];
  });
  const header = [side, 'era', 'calls/s', `${OURS} is`, 'CPU µs per call', `its cost against ${OURS}`];
  return table(header, rows);
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)}x`;
}

/** A Markdown table. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}

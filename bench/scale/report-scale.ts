import { table } from '../report.js';

export interface ScaleFigure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it may be at most. */
  readonly limit?: number;
}

/** The figures as Markdown, each beside its target. */
export function scaleMarkdown(figures: readonly ScaleFigure[]): string {
  const rows = figures.map(({ what, value, unit, limit }) => [
    what,
    `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`,
    limit === undefined ? '' : `at most ${limit} ${unit}`,
    limit === undefined ? '' : value <= limit ? 'met' : 'missed',
  ]);
  return table(['what', 'figure', 'target', ''], rows).join('\n');
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/repository.js';
import type { Leg, Scenario } from './scenarios.js';

export interface Result {
  readonly scenario: Scenario;
  readonly passed: boolean;
}

export interface LegReport {
  readonly leg: Leg;
  readonly versions: Readonly<Record<Scenario['line'], string>>;
  readonly results: readonly Result[];
}

const DOCUMENT = join(ROOT, 'docs', 'conformance.md');

const COLUMNS: readonly Pick<Scenario, 'line' | 'revision'>[] = [
  { line: '0.1', revision: '2025-11-25' },
  { line: '0.2', revision: '2025-11-25' },
  { line: '0.2', revision: '2026-07-28' },
];

/** The part of `docs/conformance.md` that follows from a run: sums per set, then every scenario. */
export function renderReport(report: LegReport): string {
  return [...renderSums(report), '', ...renderMatrix(report)].join('\n');
}

function renderSums({ versions, results }: LegReport): readonly string[] {
  const rows = COLUMNS.map((column) => {
    const inColumn = results.filter(({ scenario }) => isIn(column, scenario));
    const required = inColumn.filter(({ scenario }) => scenario.required);
    const extra = inColumn.filter(({ scenario }) => !scenario.required);
    return [versions[column.line], column.revision, ratio(required), ratio(extra)];
  });
  return table(['Suite', 'Revision', 'Required', 'Beyond'], rows);
}

function renderMatrix({ versions, results }: LegReport): readonly string[] {
  const names = [...new Set(results.map(({ scenario }) => scenario.name))].toSorted();
  const rows = names.map((name) => [
    `\`${name}\``,
    ...COLUMNS.map((column) => {
      const result = results.find(({ scenario }) => scenario.name === name && isIn(column, scenario));
      if (result === undefined) return '–';
      if (!result.passed) return 'exception';
      return result.scenario.required ? 'passed' : 'passed (beyond)';
    }),
  ]);
  return table(['Scenario', ...COLUMNS.map(({ line, revision }) => `${versions[line]}, ${revision}`)], rows);
}

function isIn(column: Pick<Scenario, 'line' | 'revision'>, scenario: Scenario): boolean {
  return scenario.line === column.line && scenario.revision === column.revision;
}

function ratio(results: readonly Result[]): string {
  if (results.length === 0) return '–';
  return `${results.filter(({ passed }) => passed).length}/${results.length}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** What the document says now. */
export function readReport(part: string): string {
  const { before, after } = markers(part);
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.indexOf(before);
  const end = text.indexOf(after);
  if (start < 0 || end < start)
    throw new Error(`docs/conformance.md lacks the markers ${before} and ${after}`);
  return text.slice(start + before.length, end).trim();
}

export function writeReport(part: string, report: string): void {
  const { before, after } = markers(part);
  const old = `${before}\n\n${readReport(part)}\n\n${after}`;
  const text = readFileSync(DOCUMENT, 'utf8').replace(/\n\n\n+/g, '\n\n');
  if (!text.includes(old))
    throw new Error(`docs/conformance.md is not laid out as expected around ${before}`);
  writeFileSync(
    DOCUMENT,
    text.replace(old, () => `${before}\n\n${report}\n\n${after}`),
  );
}

/** A part is a leg, or a way to the server. */
function markers(part: string): { readonly before: string; readonly after: string } {
  return { before: `<!-- ${part}: written by npm run conformance:table -->`, after: `<!-- ${part}: end -->` };
}

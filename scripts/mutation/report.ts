import { relative } from 'node:path';
import { readRepositoryFile, ROOT } from '../repository.js';
import type { Mutant, MutantOutcome, TrialLine } from './mutant.js';

export interface MutationCount {
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly survived: number;
  readonly unreached: number;
  /** Killed or timed out, in per cent of all. */
  readonly score: number;
}

/** The best that any file of tests found out about each change. */
export type Verdicts = ReadonlyMap<string, MutantOutcome>;

const RANK = { survived: 0, timed_out: 1, killed: 2 } as const;

export function toVerdicts(lines: readonly TrialLine[]): Verdicts {
  const verdicts = new Map<string, MutantOutcome>();
  for (const line of lines) {
    if (line.kind !== 'ended') continue;
    const before = verdicts.get(line.id);
    if (before === undefined || RANK[line.outcome] > RANK[before]) verdicts.set(line.id, line.outcome);
  }
  return verdicts;
}

export function countMutants(mutants: readonly Mutant[], verdicts: Verdicts): MutationCount {
  const having = (outcome: string | undefined): number =>
    mutants.filter(({ id }) => verdicts.get(id) === outcome).length;
  const [killed, timedOut] = [having('killed'), having('timed_out')];
  const score = mutants.length === 0 ? 100 : (100 * (killed + timedOut)) / mutants.length;
  const [survived, unreached] = [having('survived'), having(undefined)];
  return { mutants: mutants.length, killed, timedOut, survived, unreached, score };
}

/** A line for each change that no test noticed, then one for each file and one for all. */
export function describeArea(
  name: string,
  mutants: readonly Mutant[],
  verdicts: Verdicts,
): readonly string[] {
  const noticed = (id: string): boolean => (verdicts.get(id) ?? 'survived') !== 'survived';
  const files = [...new Set(mutants.map(({ fileName }) => fileName))].toSorted();
  const rows = files.map((path) => {
    const own = mutants.filter(({ fileName }) => fileName === path);
    return row(relative(ROOT, path), countMutants(own, verdicts));
  });
  const unnoticed = mutants.filter(({ id }) => !noticed(id));
  return [
    ...unnoticed.map((mutant) => describeMutant(mutant, verdicts.has(mutant.id))),
    ...rows,
    row(name, countMutants(mutants, verdicts)),
  ];
}

function describeMutant({ fileName, location, replacement }: Mutant, isReached: boolean): string {
  const { start, end } = location;
  const path = relative(ROOT, fileName);
  const line = readRepositoryFile(path).split('\n')[start.line] ?? '';
  const original = start.line === end.line ? line.slice(start.column, end.column) : line.slice(start.column);
  const place = `${path}:${start.line + 1}:${start.column + 1}`;
  return `${place} ${shorten(original)} -> ${shorten(replacement)}${isReached ? '' : ' (not reached)'}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

function row(name: string, count: MutationCount): string {
  const { mutants, killed, timedOut, survived, unreached, score } = count;
  const numbers = `${mutants} mutants, ${killed} killed, ${timedOut} timed out, ${survived} survived, ${unreached} not reached`;
  return `${name.padEnd(52)} ${score.toFixed(1).padStart(5)} %  ${numbers}`;
}

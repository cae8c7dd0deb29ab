import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MutantOutcome, TrialLine } from './mutant.js';

/** What one file of tests found out, kept so that another process can go on where this one ended. */
export class TrialLog {
  readonly #folder: string;
  readonly #path: string;
  readonly #outcomes = new Map<string, MutantOutcome>();

  constructor(folder: string, testFile: string) {
    this.#folder = folder;
    this.#path = join(folder, logName(testFile));
    const last = readLog(this.#path).at(-1);
    for (const line of readLog(this.#path))
      if (line.kind === 'ended') this.#outcomes.set(line.id, line.outcome);
    // The process ended with it, or had to be ended.
    if (last?.kind === 'begun') this.end(last.id, 'timed_out');
  }

  /** Whether this or any other file of tests has already found what there is to find out. */
  knows(id: string): boolean {
    return this.#outcomes.has(id) || existsSync(join(this.#folder, `noticed-${id}`));
  }

  begin(id: string): void {
    this.#write({ kind: 'begun', id, pid: process.pid });
  }

  end(id: string, outcome: MutantOutcome): void {
    this.#outcomes.set(id, outcome);
    this.#write({ kind: 'ended', id, outcome });
    if (outcome !== 'survived') writeFileSync(join(this.#folder, `noticed-${id}`), '');
  }

  done(): void {
    this.#write({ kind: 'done' });
  }

  #write(line: TrialLine): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

export function isDone(folder: string, testFile: string): boolean {
  return readLog(join(folder, logName(testFile))).some(({ kind }) => kind === 'done');
}

/** Ends processes that are busy with one change for too long: where nothing but a loop runs, no timer of theirs does. */
export function endStuckTrials(folder: string, longestMs: number): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
    const path = join(folder, name);
    const last = readLog(path).at(-1);
    if (last?.kind !== 'begun' || Date.now() - statSync(path).mtimeMs < longestMs) continue;
    try {
      process.kill(last.pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

export function readTrials(folder: string): readonly TrialLine[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.flatMap((name) => readLog(join(folder, name)));
}

function logName(testFile: string): string {
  return `${createHash('sha256').update(testFile).digest('hex')}.jsonl`;
}

function readLog(path: string): readonly TrialLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as TrialLine);
}

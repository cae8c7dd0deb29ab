/** One small change of the code. */
export interface Mutant {
  readonly id: string;
  /** Absolute path. */
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  /** Lines and columns from 0. */
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** What one file of tests found out about one change. */
export type MutantOutcome = 'killed' | 'timed_out' | 'survived';

/** A line of what a file of tests writes down as it goes on. */
export type TrialLine =
  | { readonly kind: 'begun'; readonly id: string; readonly pid: number }
  | { readonly kind: 'ended'; readonly id: string; readonly outcome: MutantOutcome }
  | { readonly kind: 'done' };

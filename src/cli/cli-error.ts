import { EXIT_FAILED, EXIT_USAGE } from './exit-codes.js';

export interface CliErrorOptions {
  readonly exitCode?: number;
  /** For programs. */
  readonly code?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What to do about it, as a sentence of its own. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** A command cannot do what it was asked. The message is for the person at the keyboard. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly hint: string | undefined;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT_FAILED;
    this.code = options.code ?? 'failed';
    this.details = options.details;
    this.hint = options.hint;
  }
}

/** The command line itself is wrong. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(message, { exitCode: EXIT_USAGE, code: 'usage', ...(hint !== undefined && { hint }) });
}

import { EXIT_DONE, EXIT_FAILED } from './exit-codes.js';

export interface OutputEnd {
  readonly exitCode: number;
  readonly note?: string;
}

/**
 * Whoever reads our output may stop reading, as `head` does, and a disk may be full. That ends a command, but not a
 * hub: undefined.
 */
export function decideOutputEnd(
  { code = 'unknown' }: NodeJS.ErrnoException,
  command: string | undefined,
): OutputEnd | undefined {
  if (command === 'serve') return undefined;
  if (code === 'EPIPE') return { exitCode: EXIT_DONE };
  return { exitCode: EXIT_FAILED, note: `crosspoint: the output cannot be written (${code})` };
}

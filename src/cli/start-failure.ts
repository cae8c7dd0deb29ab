import { HubError } from '../kernel/index.js';
import { CliError } from './cli-error.js';
import { EXIT_CONFIGURATION, EXIT_FAILED } from './exit-codes.js';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: choose another with --port',
  EADDRNOTAVAIL: 'this machine does not have that address: choose another with --host',
  EACCES: 'not allowed to use this address, port or folder',
};

/** Why a hub cannot start, in one line. */
export function toStartFailure(error: unknown): CliError {
  if (error instanceof HubError) {
    const exitCode = error.code === 'config_invalid' ? EXIT_CONFIGURATION : EXIT_FAILED;
    return new CliError(error.message, { code: error.code, exitCode, cause: error });
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'failed';
  const message = SYSTEM_ERRORS[code] ?? (error instanceof Error ? error.message : String(error));
  return new CliError(message, { code, cause: error });
}

import type { Config } from '../app/index.js';
import { HubError } from '../kernel/index.js';
import { CliError } from './cli-error.js';
import { EXIT_CONFIGURATION, EXIT_FAILED } from './exit-codes.js';

/** What the system said no to, in words that name it. */
function explainSystemError({
  code,
  path,
  port,
  address,
  hostname,
  syscall,
}: SystemError): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use: choose another with --port`;
    case 'EADDRNOTAVAIL':
      return `this machine does not have the address ${address}: choose another with --host`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return hostname === undefined
        ? undefined
        : `"${hostname}" is no name or address of this machine: choose another with --host`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      // Volumes of orchestrators are like that: everybody may write into them, and their owner is another user.
      if (path !== undefined && syscall === 'chmod')
        return `${path} belongs to another user: choose a folder in it with --data, and the hub makes it`;
      if (path !== undefined) return `not allowed to write ${path}: choose another data folder with --data`;
      return port === undefined ? undefined : `not allowed to use port ${port}: choose another with --port`;
    case 'EEXIST':
    case 'ENOTDIR':
    case 'ENOENT':
      return path === undefined
        ? undefined
        : `no folder can be made at ${path} (${code}): choose another data folder with --data`;
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return undefined;
  }
}

interface SystemError {
  readonly code?: string;
  readonly path?: string;
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
  readonly syscall?: string;
}

const DEEPEST = 5;
const SQLITE_FULL = 13;

/** What the system, or the server itself, called the failure. */
export function reasonBehind({ cause }: HubError): string | undefined {
  let inner: unknown = cause;
  for (let depth = 0; depth < DEEPEST && inner instanceof Error; depth++) {
    if ('errcode' in inner && typeof inner.errcode === 'number')
      return (inner.errcode & 0xff) === SQLITE_FULL ? 'the disk is full' : `SQLite ${inner.errcode}`;
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
    inner = inner.cause;
  }
  return undefined;
}

/** A store or service that is out of reach is so for a reason, of which only the code is told: the rest may quote secrets. */
function withReason(error: HubError): string {
  const reason = error.code === 'storage_unavailable' ? reasonBehind(error) : undefined;
  return reason === undefined ? error.message : `${error.message} (${reason})`;
}

export type Places = Pick<Config, 'storageUrl' | 'coordinationUrl'>;

/** Of an address only what is no secret. */
function adviceFor({ storageUrl, coordinationUrl }: Places = LOCAL): string | undefined {
  const places = [
    ['storage.url', storageUrl],
    ['coordination.url', coordinationUrl],
  ].flatMap(([name = '', url = '']) =>
    url.includes('://') && URL.canParse(url)
      ? [`${name} leads to ${new URL(url).host || 'this machine'}`]
      : [],
  );
  return places.length === 0
    ? undefined
    : `Look whether it runs, can be reached from here and lets the hub in: ${places.join(', ')}.`;
}

const LOCAL: Places = { storageUrl: '', coordinationUrl: '' };

/** Why a hub cannot start, in one line, and where to look. */
export function toStartFailure(error: unknown, config?: Places): CliError {
  if (error instanceof HubError) {
    const exitCode = error.code === 'config_invalid' ? EXIT_CONFIGURATION : EXIT_FAILED;
    const hint = error.code === 'storage_unavailable' ? adviceFor(config) : undefined;
    return new CliError(withReason(error), {
      code: error.code,
      exitCode,
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
  const system = (error ?? {}) as SystemError;
  const message = explainSystemError(system) ?? (error instanceof Error ? error.message : String(error));
  return new CliError(message, { code: system.code ?? 'failed', cause: error });
}

import type { ConfigEdit, OperatorFile } from '../app/index.js';
import type { Secret } from '../kernel/index.js';
import { CliError } from './cli-error.js';
import type { Cli } from './cli.js';
import { shown, type HubOptions } from './hub-address.js';
import { dataFolderOf, findRunningHub } from './hub-file.js';

const UNWRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EBUSY', 'EPERM', 'EROFS']);

export interface OperatorFileOptions extends HubOptions {
  readonly config?: string;
}

/** The configuration file of the running hub, or the one that a hub started here would read. */
export async function findOperatorFile(cli: Cli, options: OperatorFileOptions): Promise<OperatorFile> {
  const { openOperatorFile } = await import('../app/index.js');
  const running = findRunningHub(dataFolderOf(options.data, cli.environment, cli.folder));
  const named = options.config ?? (cli.environment['CROSSPOINT_CONFIG'] || running?.configFile);
  return openOperatorFile(named, options.config === undefined ? (running?.folder ?? cli.folder) : cli.folder);
}

/** Makes the changes and says where. Secrets are sealed first, so that the file never refers to what is not there. */
export async function changeOperatorFile(
  cli: Cli,
  options: OperatorFileOptions,
  file: OperatorFile,
  edits: readonly ConfigEdit[],
  variables: Readonly<Record<string, Secret>> = {},
): Promise<void> {
  const { editOperatorFile, forgetVariables, sealVariables } = await import('../app/index.js');
  const folder = dataFolderOf(options.data, cli.environment, cli.folder);
  if (Object.keys(variables).length > 0) {
    await sealVariables({ folder, masterKey: cli.environment['CROSSPOINT_MASTER_KEY'] }, variables);
    for (const name of Object.keys(variables)) {
      cli.terminal.note(
        `${name} is a secret: its value is sealed in ${shown(cli, folder)}, and the file refers to it as \${env:${name}}.`,
      );
    }
  }
  const path = shown(cli, file.path);
  const released = orExplain(path, () => editOperatorFile(file, edits));
  cli.terminal.note(
    file.exists ? `Changed ${path}.` : `Created ${path}. The sample connector is left out from now on.`,
  );
  for (const name of forgetVariables(folder, released))
    cli.terminal.note(`The sealed value of ${name} was removed, because nothing refers to it any more.`);
}

/** Files that somebody else puts in place, such as those of a container, are often not to be written. */
function orExplain<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof Error) || code === undefined || !UNWRITABLE.has(code)) throw error;
    throw new CliError(`${path} cannot be written (${code})`, {
      code: 'file_not_writable',
      hint:
        code === 'EBUSY'
          ? 'The file is mounted by itself: mount the folder that it lies in.'
          : 'Change it where it comes from, or name a file that can be written with --config.',
      cause: error,
    });
  }
}

import type { Config, Flags } from '../app/index.js';
import type { Cli } from './cli.js';
import { dataFolderOf } from './hub-file.js';

/** The configuration as the hub itself would read it here. `now` stands in what it makes. */
export async function readLocalConfig(cli: Cli, flags: Flags, now = Date.now()): Promise<Config> {
  const { loadConfig, readSealedVariables } = await import('../app/index.js');
  const folder = dataFolderOf(flags.data, cli.environment, cli.folder);
  const sealed = await readSealedVariables({ folder, masterKey: cli.environment['CROSSPOINT_MASTER_KEY'] });
  return loadConfig({
    flags,
    environment: { ...sealed, ...cli.environment },
    folder: cli.folder,
    now,
  });
}

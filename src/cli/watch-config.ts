import { unwatchFile, watchFile, type Stats } from 'node:fs';
import { join } from 'node:path';
import { watch } from 'chokidar';
import { CONFIG_FILES, type Config, type Flags } from '../app/index.js';
import { HubError } from '../kernel/index.js';
import type { Cli } from './cli.js';
import { readLocalConfig } from './local-config.js';

export interface ConfigWatcher {
  /** As if something had changed. */
  reload(): void;
  close(): Promise<void>;
}

export interface ConfigFollower {
  /** What became of it; undefined: what was before stays. */
  readonly onChange: (read: () => Promise<Config>) => Promise<Config | undefined>;
  /** Something could not be watched or taken up. */
  readonly onError: (error: unknown) => void;
}

const QUIET_MS = 100;
const LOOK_MS = 500;

/**
 * Has the configuration read again when one of its files changes. Changes in quick succession count as one, and one
 * reading follows another.
 */
export function watchConfig(
  cli: Cli,
  flags: Flags,
  started: Config,
  { onChange, onError }: ConfigFollower,
): ConfigWatcher {
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let current = started;
  const watcher = watch(pathsOf(cli, started), { ignoreInitial: true, depth: 0 });
  const reload = (): void => {
    const read = async (): Promise<void> => {
      if (closed) return;
      const config = await onChange(async () => requireFile(await readLocalConfig(cli, flags), current));
      current = config ?? current;
      // Also where nothing was taken up: a file that was gone is not followed any more, and may come back.
      watcher.add(pathsOf(cli, current));
    };
    last = last.then(read).catch(onError);
  };
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(reload, QUIET_MS);
  };
  watcher.on('all', changed);
  watcher.on('error', onError);
  // A watcher of the data folder would wake at every write to the database beside the file.
  const variables = join(started.dataDir, 'variables.json');
  const look = (now: Stats, before: Stats): void => {
    // Told once even if there is no such file.
    if (now.mtimeMs !== before.mtimeMs) changed();
  };
  watchFile(variables, { interval: LOOK_MS, persistent: false }, look);
  return {
    reload,
    async close() {
      closed = true;
      clearTimeout(timer);
      unwatchFile(variables, look);
      await watcher.close();
      await last;
    },
  };
}

/** A file that was moved away, or is about to be written anew, does not mean that nothing is configured any more. */
function requireFile(config: Config, { configFile }: Config): Config {
  if (config.configFile === undefined && configFile !== undefined)
    throw new HubError('config_invalid', `${configFile}: there is no such file any more`);
  return config;
}

function pathsOf(cli: Cli, { configFile, watched }: Config): string[] {
  const found = CONFIG_FILES.map((name) => join(cli.folder, name));
  // One may appear while the hub runs without, or take the place of another.
  return configFile === undefined || found.includes(configFile) ? [...watched, ...found] : [...watched];
}

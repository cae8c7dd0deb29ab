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

/** What the hub was started with, and when that was read. */
export interface StartedConfig {
  readonly config: Config;
  readonly readAt: number;
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
 * Has the configuration read again when one of its files changes, or has changed since it was read for the start. Changes
 * in quick succession count as one, and one reading follows another.
 */
export function watchConfig(
  cli: Cli,
  flags: Flags,
  { config: started, readAt }: StartedConfig,
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
      if (config === undefined) return;
      current = config;
      watcher.add(pathsOf(cli, config));
    };
    last = last.then(read).catch(onError);
  };
  const changed = (): void => {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(reload, QUIET_MS);
  };
  watcher.on('all', changed);
  watcher.once('ready', () => {
    void isUpToDate(cli, flags, { config: started, readAt }).then((isSo) => isSo || changed());
  });
  watcher.on('error', onError);
  const look = (now: Stats, before: Stats): void => {
    // Told once even if there is no such file.
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) changed();
  };
  const looked = lookedAt(cli, started);
  for (const path of looked) watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  return {
    reload,
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const path of looked) unwatchFile(path, look);
      await watcher.close();
      await last;
    },
  };
}

/** One that is not valid any more is not. */
async function isUpToDate(cli: Cli, flags: Flags, { config, readAt }: StartedConfig): Promise<boolean> {
  const { isSameConfig } = await import('../app/index.js');
  const found = await readLocalConfig(cli, flags, readAt).catch(() => undefined);
  return found !== undefined && isSameConfig(found, config);
}

/** A file that was moved away, or is about to be written anew, does not mean that nothing is configured any more. */
function requireFile(config: Config, { configFile }: Config): Config {
  if (config.configFile === undefined && configFile !== undefined)
    throw new HubError('config_invalid', `${configFile}: there is no such file any more`);
  return config;
}

/**
 * Looked at now and then. The watcher does not follow a file that was moved away, and may miss that it came back; one of
 * the data folder would wake at every write to the database beside the variables.
 */
function lookedAt(cli: Cli, started: Config): string[] {
  const { configFile, dataDir } = started;
  const files = configFile === undefined ? namesIn(cli) : [configFile, ...namesIn(cli)];
  return [...new Set([join(dataDir, 'variables.json'), ...files])];
}

function namesIn({ folder }: Cli): string[] {
  return CONFIG_FILES.map((name) => join(folder, name));
}

function pathsOf(cli: Cli, { configFile, watched }: Config): string[] {
  const found = namesIn(cli);
  // One may appear while the hub runs without, or take the place of another.
  return configFile === undefined || found.includes(configFile) ? [...watched, ...found] : [...watched];
}

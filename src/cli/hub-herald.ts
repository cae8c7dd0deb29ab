import type { Config } from '../app/index.js';
import type { Cli } from './cli.js';
import { removeHubFile, writeHubFile } from './hub-file.js';
import { printReady } from './print-ready.js';

/** Where a hub answers on this machine, and with which file it runs. */
export interface HubPlace {
  readonly localUrl: string;
  readonly configFile: string | undefined;
}

/** What somebody is told who started a hub. */
export interface ReadyHub {
  readonly url: string;
  /** The same from this machine, whatever the hub is called outside. */
  readonly localUrl: string;
  /** Signs one browser in, once. */
  readonly consoleUrl: string;
  readonly hasSample: boolean;
}

/** Whom a hub tells about itself: people and commands, or the process that runs several. */
export interface HubHerald {
  announce(place: HubPlace): void;
  ready(hub: ReadyHub): void;
  ended(): void;
}

/** Says it in the terminal, and in the data folder for other commands. */
export function createHubHerald(cli: Cli, config: Config): HubHerald {
  const { pid } = process;
  let isTold = false;
  return {
    announce({ localUrl, configFile }) {
      const known = configFile === undefined ? {} : { configFile };
      try {
        writeHubFile(config.dataDir, { url: localUrl, pid, folder: cli.folder, ...known });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A hub that serves is not ended for want of room for this.
        if (!isTold)
          cli.terminal.note(
            `The hub's address cannot be written to ${config.dataDir} (${code}): commands do not find it without --url.`,
          );
        isTold = true;
      }
    },
    ready: (hub) => printReady(cli, config, hub),
    ended: () => removeHubFile(config.dataDir, pid),
  };
}

import type { Config, Flags, RunningHub } from '../app/index.js';
import { toConnectorId, type Logger } from '../kernel/index.js';
import type { Cli } from './cli.js';
import { EXIT_DONE, EXIT_FAILED } from './exit-codes.js';
import { removeHubFile, writeHubFile } from './hub-file.js';
import { readLocalConfig } from './local-config.js';
import { printReady } from './print-ready.js';
import { toStartFailure } from './start-failure.js';

const SAMPLE_MS = 5_000;
/** For what a balancer sends before it knows. */
const LINGER_MS = 500;

/** Starts a hub, says where it is, follows its configuration and stops it when told to. */
export async function serveHub(cli: Cli, flags: Flags): Promise<void> {
  const { config, logger, running } = await start(cli, flags);
  const { watchConfig } = await import('./watch-config.js');
  const watcher = watchConfig(cli, flags, config, async (read) => {
    const next = await reload(running, logger, read);
    if (next !== undefined) announce(cli, running, next);
    return next;
  });
  process.on('SIGHUP', () => watcher.reload());
  let stopping = false;
  const stop = (): void => {
    // Whoever asks twice does not want to wait for running calls.
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    if (config.logFormat === 'pretty')
      cli.terminal.note('Stopping; running calls get up to 10 s. Again to stop at once.');
    const stopped = watcher.close().then(() => running.stop({ lingerMs: LINGER_MS }));
    const end = (code: number): never => {
      removeHubFile(config.dataDir, process.pid);
      process.exit(code);
    };
    void stopped.then(
      () => end(EXIT_DONE),
      () => end(EXIT_FAILED),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await sampleKnown(running);
  announce(cli, running, config);
  printReady(cli, config, running, await running.hub.browser.createSignInLink());
}

async function start(
  cli: Cli,
  flags: Flags,
): Promise<{ config: Config; logger: Logger; running: RunningHub }> {
  const { createLogger, startHub } = await import('../app/index.js');
  try {
    const config = await readLocalConfig(cli, flags);
    const logger = createLogger({ level: config.logLevel, format: config.logFormat });
    return {
      config,
      logger,
      running: await startHub(config, logger, cli.environment['CROSSPOINT_MASTER_KEY']),
    };
  } catch (error) {
    throw toStartFailure(error);
  }
}

/** Where commands find it. */
function announce(cli: Cli, { localUrl, folder }: RunningHub, { configFile }: Config): void {
  const known = configFile === undefined ? {} : { configFile };
  writeHubFile(folder.path, { url: localUrl, pid: process.pid, folder: cli.folder, ...known });
}

/** Where there is nothing but the sample, whoever is told that the hub is ready may call it at once. */
function sampleKnown({ hub: { catalog } }: RunningHub): Promise<void> {
  const sample = toConnectorId('sample');
  const isKnown = (): boolean => !catalog.has(sample) || catalog.snapshotOf(sample) !== undefined;
  if (isKnown()) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(end, SAMPLE_MS);
    const stopLooking = catalog.onChange(() => {
      if (isKnown()) end();
    });
    function end(): void {
      clearTimeout(timer);
      stopLooking();
      resolve();
    }
  });
}

/** A configuration that is not valid is refused whole, and the hub goes on as before. */
async function reload(
  running: RunningHub,
  logger: Logger,
  read: () => Promise<Config>,
): Promise<Config | undefined> {
  const actor = { kind: 'hub' } as const;
  try {
    const config = await read();
    const changed = await running.reload(config);
    running.hub.events.append(actor, { type: 'config.reloaded', changed });
    logger.info({ changed }, 'configuration reloaded');
    return config;
  } catch (error) {
    const { message } = toStartFailure(error);
    running.hub.events.append(actor, { type: 'config.refused', reason: message.slice(0, 512) });
    logger.error({ reason: message }, 'the new configuration is not valid; the old one stays');
    return undefined;
  }
}

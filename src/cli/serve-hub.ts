import cluster from 'node:cluster';
import type { Config, Flags, RunningHub, WorkerLink } from '../app/index.js';
import { toConnectorId, type Logger } from '../kernel/index.js';
import type { Cli } from './cli.js';
import { EXIT_DONE, EXIT_FAILED } from './exit-codes.js';
import { createHubHerald, type HubHerald } from './hub-herald.js';
import { readLocalConfig } from './local-config.js';
import { obeySignals, type HubControl } from './obey-signals.js';
import { toStartFailure } from './start-failure.js';
import { keepYoungGenerationSmall } from './young-generation.js';

const SAMPLE_MS = 5_000;
/** For what a balancer sends before it knows. */
const LINGER_MS = 500;

/** Starts a hub, says where it is, follows its configuration and stops it when told to. */
export async function serveHub(cli: Cli, flags: Flags): Promise<void> {
  const started = keepYoungGenerationSmall();
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve-as-worker.js');
    return serveAsWorker(async (herald, obey, link) =>
      run(cli, flags, { ...(await prepare(cli, flags)), link }, herald, obey).then(started),
    );
  }
  const prepared = await prepare(cli, flags);
  const { config, logger } = prepared;
  const herald = createHubHerald(cli, config);
  const onStopping = (): void => {
    if (config.logFormat === 'pretty')
      cli.terminal.note('Stopping; running calls get up to 10 s. Again to stop at once.');
  };
  if (config.server.workers > 1) {
    const { serveWithWorkers } = await import('./serve-with-workers.js');
    const masterKey = cli.environment['CROSSPOINT_MASTER_KEY'];
    started();
    return serveWithWorkers({ config, logger, masterKey, herald, onStopping });
  }
  const obey = obeySignals({
    onStopping,
    stopAtOnce: () => process.exit(EXIT_FAILED),
    stopEarly: () => process.exit(EXIT_DONE),
  });
  await run(cli, flags, prepared, herald, obey);
  started();
}

interface Prepared {
  readonly config: Config;
  /** When it was read. */
  readonly readAt: number;
  readonly logger: Logger;
  readonly link?: WorkerLink;
}

async function prepare(cli: Cli, flags: Flags): Promise<Prepared> {
  const { createLogger } = await import('../app/index.js');
  const readAt = Date.now();
  try {
    const config = await readLocalConfig(cli, flags, readAt);
    return { config, readAt, logger: createLogger({ level: config.logLevel, format: config.logFormat }) };
  } catch (error) {
    throw toStartFailure(error);
  }
}

/** One hub in this process. `obey` is given the means to direct it as soon as it runs. */
async function run(
  cli: Cli,
  flags: Flags,
  { config, readAt, logger, link }: Prepared,
  herald: HubHerald,
  obey: (control: HubControl) => void,
): Promise<void> {
  const running = await start(cli, config, logger, link);
  const { localUrl, hub } = running;
  const { watchConfig } = await import('./watch-config.js');
  const watcher = watchConfig(
    cli,
    flags,
    { config, readAt },
    {
      async onChange(read) {
        const next = await reload(running, logger, read);
        if (next !== undefined) herald.announce({ localUrl, configFile: next.configFile });
        return next;
      },
      onError(error) {
        const { message: reason } = toStartFailure(error);
        logger.warn({ reason }, 'changes of the configuration may go unnoticed; SIGHUP has it read again');
      },
    },
  );
  const end = (code: number): never => {
    herald.ended();
    process.exit(code);
  };
  obey({
    reload: () => watcher.reload(),
    stop: () => {
      const stopped = watcher.close().then(() => running.stop({ lingerMs: LINGER_MS }));
      void stopped.then(
        () => end(EXIT_DONE),
        () => end(EXIT_FAILED),
      );
    },
  });
  await sampleKnown(running);
  herald.announce({ localUrl, configFile: config.configFile });
  const consoleUrl = await signInLink(running, logger);
  herald.ready({ url: running.url, localUrl, consoleUrl, hasSample: hub.catalog.has('sample') });
}

/** A hub that serves is not held up for want of one: then people sign in with a token. */
async function signInLink({ hub, url }: RunningHub, logger: Logger): Promise<string> {
  try {
    return await hub.browser.createSignInLink();
  } catch (error) {
    const { message: reason } = toStartFailure(error);
    logger.warn({ reason }, 'no sign-in link could be made; "crosspoint sign-in-link" makes one later');
    return `${url}/sign-in`;
  }
}

async function start(
  cli: Cli,
  config: Config,
  logger: Logger,
  link: WorkerLink | undefined,
): Promise<RunningHub> {
  const { startHub } = await import('../app/index.js');
  const masterKey = cli.environment['CROSSPOINT_MASTER_KEY'];
  try {
    return await startHub(config, logger, masterKey, { link });
  } catch (error) {
    const { isAway, startWhenBack } = await import('./start-when-back.js');
    if (!isAway(error, config)) throw toStartFailure(error, config);
    const again = (makeWay: () => Promise<void>) => startHub(config, logger, masterKey, { link, makeWay });
    return await startWhenBack(again, error, config, logger).catch((failure: unknown) => {
      throw toStartFailure(failure, config);
    });
  }
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

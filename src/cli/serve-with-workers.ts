import cluster from 'node:cluster';
import { createServer, type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWorkerPrimary, type Config, type WorkerPrimary } from '../app/index.js';
import type { Logger } from '../kernel/index.js';
import { EXIT_DONE, EXIT_FAILED } from './exit-codes.js';
import type { HubHerald } from './hub-herald.js';
import { obeySignals } from './obey-signals.js';
import { toStartFailure } from './start-failure.js';
import { WorkerSet } from './worker-set.js';

export interface WorkersOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly masterKey: string | undefined;
  readonly herald: HubHerald;
  readonly onStopping: () => void;
}

/** Where a worker finds its connection to the primary, besides the one of `node:cluster`. */
export const LINK_DESCRIPTOR = 4;
/** For what a worker that has ended said last to be read, and for one that ends in good order to be gone. */
const LINK_MS = 1_000;
/** For workers of a primary that was killed to notice, and leave the port. */
const PORT_MS = 1_500;
const RETRY_MS = 50;

/** Several hubs that share one port. This process serves nobody; it keeps them running, and what they share. */
export async function serveWithWorkers({
  config,
  logger,
  masterKey,
  herald,
  onStopping,
}: WorkersOptions): Promise<void> {
  const { host, port, workers } = config.server;
  const obey = obeySignals({
    onStopping,
    stopAtOnce: () => set.stopAtOnce(),
    stopEarly: () => process.exit(EXIT_DONE),
  });
  const found = await findPort(host, port);
  // Workers accept by themselves: a connection on its way through this process to one that is killed would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // A port that is chosen for the first worker is the port of all that follow, even if for a moment none is left.
  cluster.setupPrimary({
    args: [...process.argv.slice(2), '--host', host, '--port', String(found)],
    stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'],
  });
  const primary = await openPrimary(config, logger, masterKey);
  const set = new WorkerSet({
    count: workers,
    fork: () => {
      const forked = cluster.fork(sharedStores(config));
      // Its process tells as well, and the set hears that.
      forked.on('error', () => {});
      const worker = forked.process;
      const link = worker.stdio[LINK_DESCRIPTOR];
      if (link instanceof Duplex) {
        primary.attach(link);
        link.once('close', () => setTimeout(() => set.endUnlinked(worker), LINK_MS).unref());
        // It ends with the worker, unless a process that the worker started has it too.
        worker.once('exit', () => setTimeout(() => link.destroy(), LINK_MS).unref());
      }
      return worker;
    },
    logger,
    onPlace: (place) => herald.announce(place),
    onReady: (hub) => herald.ready(hub),
    onEnd: (code) => {
      herald.ended();
      void primary.close().then(
        () => process.exit(code),
        () => process.exit(EXIT_FAILED),
      );
    },
  });
  obey({ reload: () => set.reload(), stop: () => set.stop() });
  set.start();
}

/** Whatever the file says by the time one takes another's place: workers with different stores would be different hubs. */
function sharedStores({ storageUrl, coordinationUrl }: Config): Readonly<Record<string, string>> {
  return { CROSSPOINT_STORAGE_URL: storageUrl, CROSSPOINT_COORDINATION_URL: coordinationUrl };
}

async function openPrimary(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
): Promise<WorkerPrimary> {
  try {
    return await openWorkerPrimary(config, logger, masterKey);
  } catch (error) {
    throw toStartFailure(error);
  }
}

/** Says now, and once, if the port cannot be had. */
async function findPort(host: string, port: number): Promise<number> {
  const deadline = performance.now() + PORT_MS;
  for (;;) {
    try {
      return await tryPort(host, port);
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || performance.now() > deadline) throw toStartFailure(error);
    }
    await sleep(RETRY_MS);
  }
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}

import cluster from 'node:cluster';
import { createServer, type AddressInfo } from 'node:net';
import type { Config } from '../app/index.js';
import type { Logger } from '../kernel/index.js';
import type { HubHerald } from './hub-herald.js';
import { obeySignals } from './obey-signals.js';
import { toStartFailure } from './start-failure.js';
import { WorkerSet } from './worker-set.js';

export interface WorkersOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly herald: HubHerald;
  readonly onStopping: () => void;
}

/** Several hubs that share one port. This process serves nobody; it keeps them running. */
export async function serveWithWorkers({
  config,
  logger,
  herald,
  onStopping,
}: WorkersOptions): Promise<void> {
  const { host, port, workers } = config.server;
  const found = await findPort(host, port);
  // Workers accept by themselves: a connection on its way through this process to one that is killed would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // A port that is chosen for the first worker is the port of all that follow, even if for a moment none is left.
  const args = process.argv.slice(2);
  cluster.setupPrimary({ args: port === 0 ? [...args, '--port', String(found)] : args });
  const set = new WorkerSet({
    count: workers,
    fork: () => cluster.fork().process,
    logger,
    onPlace: (place) => herald.announce(place),
    onReady: (hub) => herald.ready(hub),
    onEnd: (code) => {
      herald.ended();
      process.exit(code);
    },
  });
  obeySignals({
    reload: () => set.reload(),
    stop: () => set.stop(),
    onStopping,
    stopAtOnce: () => set.stopAtOnce(),
  });
  set.start();
}

/** Says now, and once, if the port cannot be had. */
function findPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(toStartFailure(error)));
    server.listen(port, host, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}

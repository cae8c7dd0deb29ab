import cluster from 'node:cluster';
import type { HubHerald } from './hub-herald.js';
import type { HubControl } from './obey-signals.js';
import type { WorkerReport } from './worker-set.js';

type RunHub = (herald: HubHerald, obey: (control: HubControl) => void) => Promise<void>;

/**
 * One of several hubs that share a port: it tells its primary what a single one tells people. Without its primary it ends
 * at once, which `node:cluster` sees to.
 */
export async function serveAsWorker(run: RunHub): Promise<void> {
  const report = (message: WorkerReport): void => {
    if (process.connected) process.send?.(message);
  };
  const herald: HubHerald = {
    announce: (place) => report({ type: 'announce', place }),
    ready: (hub) => report({ type: 'ready', hub }),
    ended: () => {},
  };
  try {
    await run(herald, obey);
  } catch (error) {
    // The connection to the primary would keep a process alive that has nothing to do.
    cluster.worker?.disconnect();
    throw error;
  }
}

/** Orders of the primary, and signals: a terminal sends them to primary and workers alike, so the second is no hurry. */
function obey({ reload, stop }: HubControl): void {
  let stopping = false;
  const stopOnce = (): void => {
    if (stopping) return;
    stopping = true;
    stop();
  };
  process.on('message', (order) => {
    if (order === 'stop') stopOnce();
    if (order === 'reload') reload();
  });
  process.on('SIGINT', stopOnce);
  process.on('SIGTERM', stopOnce);
  // The primary passes it on.
  process.on('SIGHUP', () => {});
}

import cluster from 'node:cluster';
import { Socket } from 'node:net';
import { openWorkerLink, type WorkerLink } from '../app/index.js';
import type { HubHerald } from './hub-herald.js';
import type { HubControl } from './obey-signals.js';
import { LINK_DESCRIPTOR } from './serve-with-workers.js';
import type { WorkerReport } from './worker-set.js';

type RunHub = (herald: HubHerald, obey: (control: HubControl) => void, link: WorkerLink) => Promise<void>;

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
    leaveWithoutPrimary();
    const link = await openWorkerLink(new Socket({ fd: LINK_DESCRIPTOR, readable: true, writable: true }));
    await run(herald, obey, link);
  } catch (error) {
    // The connection to the primary would keep a process alive that has nothing to do.
    cluster.worker?.disconnect();
    throw error;
  }
}

/**
 * A process that exits closes what it has open, and the last one that closes a database of SQLite tidies up beside it. The
 * primary was killed and did not mark the store as closed, so whatever is beside it must stay.
 */
function leaveWithoutPrimary(): void {
  process.once('exit', () => {
    if (!process.connected && cluster.worker?.exitedAfterDisconnect !== true)
      process.kill(process.pid, 'SIGKILL');
  });
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

import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from 'node:http';
import type { WorkerLink } from '../coordination/index.js';
import { systemClock, type Logger } from '../kernel/index.js';
import { applyConfig, tidyFolders } from './apply-config.js';
import { composeHub, type Hub } from './compose.js';
import { composeServer } from './compose-server.js';
import type { Config } from './config/config.js';
import { findNextStartSettings } from './config/next-start.js';
import { endWithAgents } from './end-with-agents.js';
import { followReplicas, readConnectors, readVerdicts } from './follow-replicas.js';
import { openDataFolder, type DataFolder } from './data-folder.js';
import { recoverUnfinishedCalls } from './recover.js';
import { RepeatedTask } from './repeated-task.js';
import { startSchedule, type Schedule } from './schedule.js';
import { shutDoor } from './shut-door.js';
import { VERSION } from './version.js';

/** A hub that listens. */
export interface RunningHub {
  readonly hub: Hub;
  readonly folder: DataFolder;
  readonly url: string;
  /** Where it answers on this machine, whatever is in front of it. */
  readonly localUrl: string;
  /** Replaces the configuration, or throws and changes nothing. Answers what is different now. */
  reload(config: Config): Promise<readonly string[]>;
  /**
   * No new work, running calls get some time, children end. May be called twice. `lingerMs`: for so long requests that
   * come over connections which are there already are served, because a balancer may just be sending one.
   */
  stop(options?: { readonly lingerMs?: number }): Promise<void>;
}

const DRAIN_MS = 10_000;
/** For what calls that had to be ended are told to reach their clients. */
const FAREWELL_MS = 1_000;
const LOOK_MS = 50;
/** How long connectors that are new are waited for at a start. */
const FIRST_LISTING_MS = 3_000;

export interface StartOptions {
  /** Of a worker. */
  readonly link?: WorkerLink | undefined;
  readonly makeWay?: MakeWay;
}

/** Called when the port is needed, for whoever answers there until then. */
type MakeWay = () => Promise<void>;

/** Starts everything in the order in which it is needed; on failure nothing stays behind. */
export async function startHub(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
  { link, makeWay }: StartOptions = {},
): Promise<RunningHub> {
  const folder = openDataFolder({ path: config.dataDir, adminToken: config.adminToken, masterKey });
  const hub = await composeHub({ config, folder, clock: systemClock, logger, link });
  try {
    return await run(hub, config, folder, makeWay);
  } catch (error) {
    await hub.close();
    throw error;
  }
}

async function run(hub: Hub, config: Config, folder: DataFolder, makeWay?: MakeWay): Promise<RunningHub> {
  let ready = false;
  let current = config;
  let stopping: Promise<void> | undefined;
  const shutdown = new AbortController();
  const { server, mcp } = composeServer({
    hub,
    config: () => current,
    folder,
    isReady: () => ready,
    shutdown: shutdown.signal,
  });
  await hub.instance.start();
  void endLeftBehind(hub);
  await recoverUnfinishedCalls(hub);
  // From here on nothing that another replica changes is missed.
  const unfollow = followReplicas(hub, () => current);
  await applyConfig(hub, config, folder);
  const stopEnding = endWithAgents(hub);
  await loadCatalog(hub);
  await listen(server, config, makeWay);
  hub.publicUrl.listening(localUrlOf(server, config));
  hub.events.append({ kind: 'hub' }, { type: 'hub.started', version: VERSION });
  const schedule = startSchedule(hub, config);
  const refreshing = refreshOnChange(hub, schedule);
  // Tried again until it succeeds: nothing may fail any more that would leave a server without a hub.
  refreshing.request();
  await refreshing.done();
  await schedule.known(FIRST_LISTING_MS);
  ready = true;

  async function end(lingerMs: number): Promise<void> {
    ready = false;
    refreshing.stop();
    schedule.stop();
    shutdown.abort();
    await drain(server, lingerMs, () => mcp.close());
    unfollow();
    stopEnding();
    hub.events.append({ kind: 'hub' }, { type: 'hub.stopped', version: VERSION });
    await hub.close();
  }

  return {
    hub,
    folder,
    url: hub.publicUrl.get(),
    localUrl: localUrlOf(server, config),
    async reload(next) {
      const changed = await applyConfig(hub, next, folder, () => (current = next));
      tellWhatWaits(hub, config, next);
      // What is in force stays so.
      await schedule.refresh().catch(() => refreshing.request());
      return changed;
    },
    stop: ({ lingerMs = 0 } = {}) => (stopping ??= end(lingerMs)),
  };
}

function refreshOnChange(hub: Hub, schedule: Schedule): RepeatedTask {
  const refreshing = new RepeatedTask(
    () => schedule.refresh(),
    hub.logger,
    'connectors that changed could not be read; it is tried again',
  );
  hub.connectorsChanged.on(() => refreshing.request());
  hub.connectorsChanged.on(() => void tidyFolders(hub).catch(() => {}));
  return refreshing;
}

/** Otherwise whoever reads that the configuration was reloaded takes a new limit for one that holds. */
function tellWhatWaits({ logger }: Hub, started: Config, next: Config): void {
  const settings = findNextStartSettings(started, next);
  if (settings.length > 0)
    logger.warn({ settings }, 'these settings changed, and take effect at the next start');
}

/** Processes of a hub that was killed and did not notice. Nobody waits for it. */
async function endLeftBehind({ children, logger }: Hub): Promise<void> {
  const ended = await children.endLeftBehind();
  if (ended > 0) logger.warn({ processes: ended }, 'processes that an earlier hub left behind were ended');
}

/** What was known before is offered at once; refreshing comes behind. What another replica changes meanwhile is newer. */
async function loadCatalog(hub: Hub): Promise<void> {
  const { catalog, storage } = hub;
  for (const connector of await readConnectors(hub)) catalog.putConnector(connector);
  for (const snapshot of await storage.snapshots.latestOfAll()) {
    const { connectorId: id } = snapshot;
    if (catalog.has(id) && catalog.snapshotOf(id) === undefined) catalog.putSnapshot(snapshot);
  }
  await readVerdicts(hub, hub.catalog.connectors());
}

async function listen(server: Server, { server: { host, port } }: Config, makeWay?: MakeWay): Promise<void> {
  await makeWay?.();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Nobody new is let in; who is here is told with each answer that it is the last over this connection. */
async function linger(server: Server, lingerMs: number): Promise<void> {
  await shutDoor(server);
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const deadline = performance.now() + lingerMs;
  while (performance.now() < deadline && (await connectionsOf(server)) > 0) await sleep(LOOK_MS);
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.getConnections((error, count) => resolve(error === null ? count : 0)),
  );
}

/** Streams are ended with their proper last word, then connections get the time that calls may need. */
async function drain(server: Server, lingerMs: number, closeEndpoints: () => Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  await linger(server, lingerMs);
  // Idle connections end now, and the server's own timers.
  server.close();
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS + FAREWELL_MS);
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  server.closeIdleConnections();
  await closeEndpoints();
  await closed;
  clearTimeout(deadline);
  clearInterval(idle);
}

function localUrlOf(server: Server, config: Config): string {
  const { port } = server.address() as AddressInfo;
  const { host } = config.server;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

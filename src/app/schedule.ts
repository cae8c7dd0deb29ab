import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from '../connectors/index.js';
import type { EventStore } from '../governance/index.js';
import { isHubError, type ConnectorId } from '../kernel/index.js';
import { ChangePace } from './change-pace.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { recoverUnfinishedCalls } from './recover.js';
import { SingleSync, type SyncReason } from './single-sync.js';

/** What happens by itself: health checks, syncs, retention. Each connector has its own rhythm, so a slow one delays nobody. */
export interface Schedule {
  /** Takes up connectors that are new or changed. */
  refresh(): Promise<void>;
  /** Every connector was listed once, now or ever before, or cannot be: nobody who comes first misses a tool. */
  known(limitMs: number): Promise<void>;
  stop(): void;
}

const FIRST_RETRY_MS = 2_000;
const RETENTION_MS = 600_000;
const RECOVERY_MS = 30_000;
const LONGEST_KEEP_MS = 3_600_000;
/** How often it is looked whether one that did not answer does so again. */
const PAUSED_CHECK_MS = 10_000;
/** Replicas that start together need one sync. */
const START_MS = 60_000;
const ROUTINE: SyncReason = { kind: 'routine' };
const HIDDEN_SYNC_MS = 60_000;

export function startSchedule(hub: Hub, config: Config): Schedule {
  const routines = new Map<ConnectorId, ConnectorRoutine>();
  let stopped = false;
  const retention = setInterval(() => {
    void trimEvents(hub, config);
    void sweepTickets(hub);
  }, RETENTION_MS);
  retention.unref();
  // Whose process ended while this one goes on; on SQLite there is nobody else.
  const recovery =
    hub.storage.kind === 'sqlite' ? undefined : setInterval(() => void recover(hub), RECOVERY_MS);
  recovery?.unref();
  const stopListening = [
    hub.listChanged.on((id) => void routines.get(id)?.listChanged()),
    hub.upstreamChanged.on(({ type, connector }) => {
      if (type === 'breaker_opened') routines.get(connector.id)?.paused();
    }),
  ];

  return {
    async refresh() {
      const connectors = await hub.connectors.list();
      if (stopped) return;
      const current = new Map(connectors.map((connector) => [connector.id, connector]));
      for (const [id, routine] of routines) {
        if (current.get(id) === routine.connector) continue;
        routine.stop();
        routines.delete(id);
      }
      for (const connector of connectors) {
        if (connector.enabled && !routines.has(connector.id))
          routines.set(connector.id, new ConnectorRoutine(hub, config, connector));
      }
    },
    async known(limitMs) {
      const late = new AbortController();
      await Promise.race([
        Promise.all([...routines.values()].map(({ known }) => known)),
        sleep(limitMs, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
    },
    stop() {
      stopped = true;
      clearInterval(retention);
      clearInterval(recovery);
      for (const stop of stopListening) stop();
      for (const routine of routines.values()) routine.stop();
      routines.clear();
    },
  };
}

class ConnectorRoutine {
  readonly connector: Connector;
  /** What it offers is known, or the first attempt to find out has failed. */
  readonly known: Promise<void>;
  readonly #hub: Hub;
  readonly #config: Config;
  readonly #single: SingleSync;
  readonly #pace: ChangePace;
  #changed: SyncReason | undefined;
  #failures = 0;
  #stopped = false;
  #nextSync: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined;
  #nextCheck: NodeJS.Timeout | undefined;

  constructor(hub: Hub, config: Config, connector: Connector) {
    this.#hub = hub;
    this.#config = config;
    this.connector = connector;
    this.#single = new SingleSync(hub, connector);
    this.#pace = new ChangePace(hub.clock);
    const first = this.#sync(ROUTINE);
    this.known = hub.catalog.snapshotOf(connector.id) === undefined ? first : Promise.resolve();
    this.#checkLater();
  }

  /** However often it is told, there is one sync for all of it. */
  async listChanged(): Promise<void> {
    this.#changed ??= { kind: 'changed', seen: await this.#single.seen() };
    this.#syncIn(this.#pace.pauseMs);
  }

  /** It stopped answering. */
  paused(): void {
    this.#checkLater();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#nextSync?.timer);
    clearTimeout(this.#nextCheck);
  }

  async #sync(reason: SyncReason): Promise<void> {
    const { syncIntervalMs } = this.#config;
    try {
      const nextMs = syncIntervalMs > 0 ? Math.max(syncIntervalMs, this.#keepMs()) : START_MS;
      await this.#single.run(reason, nextMs * 0.8);
      if (this.#failures > 0)
        this.#hub.logger.info({ connector: this.connector.id }, 'what a connector offers is known again');
      this.#failures = 0;
      if (syncIntervalMs > 0) this.#syncIn(jittered(Math.max(syncIntervalMs, this.#keepMs())));
    } catch (error) {
      // Every attempt is in the event log; whoever watches the hub start sees the first.
      if (this.#failures === 0 && !this.#stopped) this.#warn(error);
      const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, 300_000);
      this.#syncIn(jittered(wait));
    }
    if (!this.#stopped) void this.#hub.health.check(this.connector);
  }

  #warn(error: unknown): void {
    const fields = { connector: this.connector.id, error: error instanceof Error ? error.message : '' };
    // Nobody has signed in yet: nothing is wrong with it.
    const awaitsSomebody = isHubError(error, 'credential_required');
    this.#hub.logger[awaitsSomebody ? 'info' : 'warn'](
      fields,
      'what a connector offers cannot be fetched; it is tried again',
    );
  }

  /** What the upstream promised to stay true for a while is not asked for before. It tells if it changes after all. */
  #keepMs(): number {
    const ttls = Object.values(this.#hub.catalog.snapshotOf(this.connector.id)?.ttls ?? {});
    return ttls.length === 0 ? 0 : Math.min(...ttls, LONGEST_KEEP_MS);
  }

  async #check(): Promise<void> {
    const before = this.#hub.health.healthOf(this.connector).state;
    const { state } = await this.#hub.health.check(this.connector);
    const { id } = this.connector;
    const recovered = before === 'unhealthy' && state === 'healthy';
    if (recovered && this.#hub.catalog.snapshotOf(id) === undefined) this.#syncIn(0);
    // Nobody can call what is hidden, so nobody else would find out that it answers again.
    if (this.connector.hideWhenUnhealthy && this.#isPaused()) this.#syncIn(HIDDEN_SYNC_MS);
    this.#checkLater();
  }

  /** There is one next check, also where one was asked for while another was under way. */
  #checkLater(): void {
    clearTimeout(this.#nextCheck);
    if (this.#stopped) return;
    const { intervalMs } = this.#config.health;
    this.#nextCheck = setTimeout(
      () => void this.#check(),
      jittered(this.#isPaused() ? Math.min(intervalMs, PAUSED_CHECK_MS) : intervalMs),
    );
    this.#nextCheck.unref();
  }

  #isPaused(): boolean {
    return this.#hub.upstreams.stateOf(this.connector.id).breaker === 'open';
  }

  /** There is one next sync; the earlier wish counts. */
  #syncIn(ms: number): void {
    const at = this.#hub.clock.monotonic() + ms;
    if (this.#stopped || (this.#nextSync !== undefined && this.#nextSync.at <= at)) return;
    clearTimeout(this.#nextSync?.timer);
    const timer = setTimeout(() => {
      this.#nextSync = undefined;
      if (this.#changed !== undefined) this.#pace.looked();
      const reason = this.#changed ?? ROUTINE;
      this.#changed = undefined;
      void this.#sync(reason);
    }, ms);
    timer.unref();
    this.#nextSync = { timer, at };
  }
}

function jittered(ms: number): number {
  return ms * (0.9 + Math.random() * 0.2);
}

/** Keeps the log within its bounds in number and age. */
async function trimEvents({ storage, clock, logger }: Hub, { audit }: Config): Promise<void> {
  try {
    const last = await storage.events.last();
    if (last === undefined) return;
    const tooOld = await findTooOld(storage.events, clock.now(), audit.maxDays * 86_400_000);
    const upTo = Math.max(last.sequence - audit.maxEvents, tooOld);
    if (upTo > 0) await storage.events.trim(upTo);
  } catch (error) {
    logger.warn({ error: error instanceof Error ? error.message : '' }, 'old events could not be removed');
  }
}

/**
 * The last event before the first that is to be kept, since the log is cut at one place. So one that was written while a
 * clock stood wrong, far behind or far ahead, neither takes newer ones with it nor keeps older ones.
 */
async function findTooOld(events: EventStore, now: number, keptMs: number): Promise<number> {
  const since = now - keptMs;
  const [kept] = await events.query({ since, until: now + 1, limit: 1, order: 'oldest' });
  if (kept !== undefined) return kept.sequence - 1;
  const [newest] = await events.query({ until: since, limit: 1, order: 'newest' });
  return newest?.sequence ?? 0;
}

async function recover(hub: Hub): Promise<void> {
  try {
    await recoverUnfinishedCalls(hub);
  } catch (error) {
    hub.logger.warn(
      { error: error instanceof Error ? error.message : '' },
      'calls of hubs that are gone could not be closed',
    );
  }
}

/** What is past its end counts no more; this is for its room. */
async function sweepTickets({ storage, logger }: Hub): Promise<void> {
  try {
    await storage.tickets.sweep();
  } catch (error) {
    logger.warn({ error: error instanceof Error ? error.message : '' }, 'old tickets could not be removed');
  }
}

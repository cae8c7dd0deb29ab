import type { Duplex } from 'node:stream';
import { WorkerHost } from '../../coordination/index.js';
import { openEventLog, type EventLog, type EventRecord, type NewEvent } from '../../governance/index.js';
import { HubError, systemClock, type Logger } from '../../kernel/index.js';
import { createCallStatistics, type CallStatisticsBook } from '../../operations/index.js';
import { appendedRecords, openStorage, type EventPrimary, type Storage } from '../../storage/index.js';
import { hasEmbeddedStore } from '../config/check-workers.js';
import type { Config } from '../config/config.js';
import { openDataFolder } from '../data-folder.js';
import { closeUnfinishedCalls, forgetTheGone } from '../recover.js';
import { RepeatedTask } from '../repeated-task.js';
import { Signal } from '../signal.js';

/** What the process that runs workers does for them. It serves nobody else. */
export interface WorkerPrimary {
  /** The connection of a worker that was just started. */
  attach(stream: Duplex): void;
  /** When all workers have ended. May be called twice. */
  close(): Promise<void>;
}

/** How long a worker may take to say its numbers. */
const METRICS_MS = 1_000;

/**
 * With the embedded store it holds the store's lock, brings the schema forward, and is the one writer of the event log;
 * what workers share for a while is in its memory. With Postgres and Redis it only passes numbers on.
 */
export async function openWorkerPrimary(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
): Promise<WorkerPrimary> {
  const log = hasEmbeddedStore(config) ? await openLog(config, logger, masterKey) : undefined;
  const host: WorkerHost = new WorkerHost({
    services: {
      ...(log !== undefined && eventServices(log)),
      metrics: () => readMetrics(host),
      'keys.changed': () => adoptKeys(host),
    },
    onLeft: () => recovery?.request(),
  });
  const recover = async ({ storage, events }: Log): Promise<void> => {
    const living = async () => new Set(host.workers.map(({ name }) => name));
    await forgetTheGone(storage, await living());
    const calls = await closeUnfinishedCalls({ storage, events, clock: systemClock }, living);
    if (calls > 0) logger.warn({ calls }, 'a worker ended under calls; what became of them is not known');
  };
  const recovery =
    log &&
    new RepeatedTask(
      () => recover(log),
      logger,
      'calls of a worker that is gone could not be closed; it is tried again',
    );
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    host.close();
    recovery?.stop();
    // Nobody is left whose calls could still end.
    if (log !== undefined) await recover(log).catch(() => {});
    log?.statistics.close();
    await log?.events.close();
    await log?.storage.close();
  };
  if (log !== undefined) await recover(log);
  return {
    attach: (stream) => host.attach(stream),
    close: () => (closing ??= end()),
  };
}

interface Log {
  readonly storage: Storage;
  readonly events: EventLog;
  readonly primary: EventPrimary;
  readonly appended: Signal<EventRecord>;
  /** Of all workers: each sees only its own calls. */
  readonly statistics: CallStatisticsBook;
}

/** On failure nothing stays open. */
async function openLog(config: Config, logger: Logger, masterKey: string | undefined): Promise<Log> {
  const folder = openDataFolder({ path: config.dataDir, adminToken: config.adminToken, masterKey });
  const storage = await openStorage({
    url: config.storageUrl,
    masterKeys: folder.masterKeys,
    durability: config.audit.durability,
    logger,
  });
  const { eventPrimary: primary } = storage;
  if (primary === undefined) throw new Error('the store is not one that workers can share');
  const events = await openEventLog({
    store: storage.events,
    clock: systemClock,
    logger: logger.child({ part: 'events' }),
  });
  const appended = new Signal<EventRecord>();
  events.subscribe((record) => appended.emit(record));
  const statistics = createCallStatistics({
    events: { subscribe: (listener) => appended.on(listener) },
    eventStore: storage.events,
    clock: systemClock,
  });
  return { storage, events, primary, appended, statistics };
}

function eventServices({ primary, appended, statistics }: Log) {
  return {
    async 'events.next'(events: readonly NewEvent[]) {
      const place = await primary.next(events);
      for (const record of appendedRecords(events, place)) appended.emit(record);
      return place;
    },
    statistics: () => statistics.read(),
    'events.append': (records: readonly EventRecord[]) => primary.append(records),
    'events.settle': () => primary.settle(),
    'events.trim': (sequence: number) => primary.trim(sequence),
  };
}

/** One that is just starting may have read the keys of before. */
async function adoptKeys({ workers }: WorkerHost): Promise<void> {
  try {
    await Promise.all(workers.map((worker) => worker.ask('keys.adopt', [])));
  } catch (cause) {
    throw new HubError('conflict', 'a worker is starting or does not answer: try again', { cause });
  }
}

/** Of all workers, each with its number. One that does not answer is left out. */
async function readMetrics(host: WorkerHost) {
  const found = await Promise.all(
    host.workers.map(async (worker) => ({
      worker: String(worker.number),
      metrics: await worker.ask('metrics', [], METRICS_MS).catch(() => undefined),
    })),
  );
  return found.filter(({ metrics }) => metrics !== undefined);
}

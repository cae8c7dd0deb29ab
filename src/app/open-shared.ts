import { randomUUID } from 'node:crypto';
import { createSwitchboard, openCoordination } from '../coordination/index.js';
import { openEventLog } from '../governance/index.js';
import type { Coordination } from '../kernel/index.js';
import { openStorage, type Storage } from '../storage/index.js';
import { hasEmbeddedStore } from './config/check-workers.js';
import { openCoordinationSeal } from './coordination-seal.js';
import type { HubParts } from './compose.js';
import { Instance } from './instance.js';
import { Replicas } from './replicas.js';
import { linkedEvents } from './workers/linked-events.js';

/** What this process shares with those before it and those beside it. On failure nothing stays open. */
export async function openShared(parts: HubParts) {
  const { config, folder, clock, logger, link } = parts;
  // Of a worker on the embedded store.
  const primary = hasEmbeddedStore(config) ? link : undefined;
  const storage = await openStorage({
    url: config.storageUrl,
    masterKeys: folder.masterKeys,
    durability: config.audit.durability,
    clock,
    logger,
    ...(primary !== undefined && { primary: linkedEvents(primary) }),
  });
  let coordination = primary?.coordination;
  try {
    coordination ??= await openCoordination({
      url: config.coordinationUrl,
      name: config.coordinationUrl === 'memory:' ? undefined : await nameOf(storage),
      clock,
      logger: logger.child({ part: 'coordination' }),
    });
    return await shareStorage(parts, coordination, storage);
  } catch (error) {
    await storage.close();
    await coordination?.close();
    throw error;
  }
}

/** Hubs on another store may use the same Redis. */
async function nameOf({ settings }: Storage): Promise<string> {
  const key = 'coordination.name';
  return (await settings.find(key)) ?? settings.saveOnce(key, randomUUID());
}

async function shareStorage({ clock, logger }: HubParts, coordination: Coordination, storage: Storage) {
  const { self, store } = coordination;
  if (storage.kind === 'postgres' && coordination.kind === 'memory')
    logger.warn(
      {},
      'coordination.url is "memory:", so this must be the only hub on its Postgres store: several would renew tokens against each other and not hear of revoked keys and changed policies; give all of them one redis:// address',
    );
  const instance = new Instance({ id: self, store: storage.instances, clock, logger });
  const events = await openEventLog({
    store: storage.events,
    clock,
    logger: logger.child({ part: 'events' }),
    instance: instance.id,
  });
  const seal = await openCoordinationSeal(storage);
  const board = createSwitchboard(coordination, seal);
  return {
    coordination,
    storage,
    events,
    instance,
    replicas: new Replicas(coordination, logger),
    board,
    // Alone, everything is kept in the process, and nobody has to be asked.
    shared: coordination.kind === 'memory' ? undefined : { store, board, seal, clock },
  };
}

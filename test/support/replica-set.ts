import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { loadConfig, openWorkerLink, openWorkerPrimary } from '../../src/app/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { startPostgres, type TestPostgres } from './postgres.js';
import { startRedis, type TestRedis } from './redis.js';
import { socketPair } from './socket-pair.js';
import { startTestHub, type TestHub } from './start-hub.js';

export interface SharedServers {
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
}

/** A Postgres and a Redis for all tests of a file. */
export function useSharedServers(): () => SharedServers {
  let servers: SharedServers | undefined;
  beforeAll(async () => {
    const postgres = await startPostgres();
    servers = { postgres, redis: await startRedis() };
  }, 200_000);
  afterAll(async () => {
    await servers?.redis.stop();
    await servers?.postgres.stop();
  }, 60_000);
  return () => {
    if (servers === undefined) throw new Error('the servers are not started');
    return servers;
  };
}

/** What processes of one hub can share. */
export const SHARED_BY = ['on Postgres and Redis', 'on SQLite as workers'] as const;

/** A place for all tests of a file, or of a part of it. */
export function useSharedPlace(by: (typeof SHARED_BY)[number]): () => SharedPlace {
  const servers = by === 'on Postgres and Redis' ? useSharedServers() : undefined;
  let place: SharedPlace | undefined;
  beforeAll(async () => {
    place = servers === undefined ? await createWorkerPlace() : await createSharedPlace(servers());
  }, 60_000);
  afterAll(() => place?.close());
  return () => {
    if (place === undefined) throw new Error('there is no place yet');
    return place;
  };
}

export interface SharedPlace {
  /** Of all replicas: they have the same keys and tokens. */
  readonly folder: string;
  /** The parts of the configuration by which hubs share a store. */
  readonly config: {
    readonly storage: { readonly url: string };
    readonly coordination: { readonly url: string };
  };
  /** Another process of the hub, in this one. */
  start(config: object): Promise<TestHub>;
  close(): Promise<void>;
}

/** A new store for a set of replicas. */
export async function createSharedPlace({ postgres, redis }: SharedServers): Promise<SharedPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-replicas-'));
  const shared = { storage: { url: await postgres.createSchema() }, coordination: { url: redis.url } };
  return {
    folder,
    config: shared,
    start: (config) => startTestHub({ folder, config: { ...config, ...shared } }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file, with what runs workers on it: here all of them in this process. */
async function createWorkerPlace(): Promise<SharedPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-workers-'));
  const flags = { data: join(folder, 'data') };
  const settings = loadConfig({ flags, environment: {}, folder, now: Date.now() });
  const primary = await openWorkerPrimary(settings, silentLogger, undefined);
  return {
    folder,
    config: { storage: { url: settings.storageUrl }, coordination: { url: 'memory:' } },
    async start(config) {
      const [ours, theirs] = await socketPair();
      primary.attach(ours);
      return startTestHub({ folder, config, link: await openWorkerLink(theirs) });
    },
    async close() {
      await primary.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

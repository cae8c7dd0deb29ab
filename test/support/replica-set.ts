import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from './postgres.js';
import { startRedis, type TestRedis } from './redis.js';

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

export interface SharedPlace {
  /** Of all replicas: they have the same keys and tokens. */
  readonly folder: string;
  /** The parts of the configuration by which hubs share a store. */
  readonly config: {
    readonly storage: { readonly url: string };
    readonly coordination: { readonly url: string };
  };
  close(): void;
}

/** A new store for a set of replicas. */
export async function createSharedPlace({ postgres, redis }: SharedServers): Promise<SharedPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-replicas-'));
  return {
    folder,
    config: { storage: { url: await postgres.createSchema() }, coordination: { url: redis.url } },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

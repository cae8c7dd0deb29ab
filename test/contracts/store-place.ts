import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach } from 'vitest';
import { openStorage, type Storage, type StorageOptions } from '../../src/storage/index.js';
import type { TestPostgres } from '../support/postgres.js';
import { masterKeys } from './examples.js';

type Row = Readonly<Record<string, unknown>>;

/** Where a store can be, be closed and be opened again. */
export interface StorePlace {
  readonly url: string;
  /** A folder for files beside the store. */
  readonly folder: string;
  open(options?: Partial<StorageOptions>): Promise<Storage>;
  /** Past the store, as someone with access to the database. `?` stands for a value. */
  execute(statement: string, ...values: readonly (string | number)[]): Promise<readonly Row[]>;
}

export interface Places {
  create(): Promise<StorePlace>;
  /** Opened storages are closed and folders removed after each test. */
  track(storage: Promise<Storage>): Promise<Storage>;
}

function usePlaces(
  createUrl: (folder: string) => Promise<string>,
  execute: (url: string, statement: string, values: readonly (string | number)[]) => Promise<readonly Row[]>,
): Places {
  const folders: string[] = [];
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const track = async (opening: Promise<Storage>): Promise<Storage> => {
    const storage = await opening;
    opened.push(storage);
    return storage;
  };
  return {
    track,
    async create() {
      const folder = mkdtempSync(join(tmpdir(), 'crosspoint-store-'));
      folders.push(folder);
      const url = await createUrl(folder);
      return {
        url,
        folder,
        open: (options = {}) => track(openStorage({ url, masterKeys, ...options })),
        execute: (statement, ...values) => execute(url, statement, values),
      };
    },
  };
}

export function useSqliteFiles(): Places {
  return usePlaces(
    async (folder) => `sqlite:${join(folder, 'data', 'hub.db')}`,
    async (url, statement, values) => {
      const db = new DatabaseSync(url.slice('sqlite:'.length));
      try {
        return db.prepare(statement).all(...values) as readonly Row[];
      } finally {
        db.close();
      }
    },
  );
}

export function usePostgres(server: () => TestPostgres): Places {
  return usePlaces(
    () => server().createSchema(),
    async (url, statement, values) => {
      const schema = /search_path%3D(\w+)/.exec(url)?.[1] ?? '';
      let position = 0;
      await server().query(`set search_path = ${schema}`);
      return server().query(
        statement.replace(/\?/g, () => `$${++position}`),
        values,
      );
    },
  );
}

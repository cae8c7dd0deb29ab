import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { openBackupLines } from '../../src/storage/backup/backup-lines.js';
import type { Database } from '../../src/storage/database.js';
import { migrate, readSchemaVersion, SCHEMA_VERSION } from '../../src/storage/migrate.js';
import { MIGRATIONS } from '../../src/storage/migrations/index.js';
import type { Migration } from '../../src/storage/migrations/migration.js';
import { openPostgres } from '../../src/storage/postgres/open-postgres.js';
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.js';
import { exampleCredential, masterKeys, otherKey, SCHEMA_1, shared } from './examples.js';
import type { Places } from './store-place.js';
import { contentsOf, fill } from './whole-store.js';

const NEXT = SCHEMA_VERSION + 1;

/** What a later release might bring. */
const later: Migration = {
  version: NEXT,
  name: 'later',
  async up({ schema }, { text }) {
    await schema
      .alterTable('agents')
      .addColumn('motto', text, (column) => column.notNull().defaultTo('none'))
      .execute();
  },
};

const failing: Migration = {
  version: NEXT,
  name: 'failing',
  async up({ schema }, { text }) {
    await schema.createTable('half').addColumn('id', text).execute();
    throw new Error('it does not work');
  },
};

export async function openDatabase(url: string): Promise<Database> {
  if (url.startsWith('postgres')) return openPostgres({ url, logger: silentLogger, poolSize: 2 });
  return openSqlite({
    path: url.slice('sqlite:'.length),
    durability: 'process',
    access: 'hub',
    lockWaitMs: 0,
    maxBytes: undefined,
  });
}

/** The rows of a store of the first release, in a database with its schema. */
export async function fillSchema1(database: Database): Promise<void> {
  await migrate(database, { clock: systemClock, upTo: 1 });
  const source = await openBackupLines(SCHEMA_1);
  for await (const { table, row } of source.rows()) {
    const columns = sql.join(Object.keys(row).map((column) => sql.id(column)));
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
      database.db,
    );
  }
}

export function migrationsContract(places: Places): void {
  async function withDatabase(url: string, work: (database: Database) => Promise<void>): Promise<void> {
    const database = await openDatabase(url);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  }

  test('an empty store is brought to the newest schema, once', async () => {
    const { url } = await places.create();
    await withDatabase(url, async (database) => {
      expect(await readSchemaVersion(database)).toBe(0);
      await migrate(database, { clock: systemClock });
      await migrate(database, { clock: systemClock });
      expect(await readSchemaVersion(database)).toBe(SCHEMA_VERSION);
      expect(await database.db.selectFrom('schema_migrations').select('version').execute()).toHaveLength(
        MIGRATIONS.length,
      );
    });
  });

  test('a store of the release before is brought forward in place, with its secrets', async () => {
    const place = await places.create();
    await withDatabase(place.url, fillSchema1);
    const storage = await place.open();
    const { stores, chain } = await contentsOf(storage);
    expect(chain).toMatchObject({ ok: true, events: 4 });
    expect(stores).toMatchObject({
      connectors: [{ id: 'child' }, { id: 'http' }, { id: 'oauth' }],
      admins: [],
      credentials: [
        { owner: { kind: 'agent', agent: 'ci' }, values: { token: { secret: 'canary-credential-of-one' } } },
        { owner: { kind: 'shared' }, values: { token: { secret: 'canary-credential-of-all' } } },
      ].map((credential) => ({ ...credential, account: 'default', isDefault: true, version: 1 })),
    });
    const called = await storage.events.query({ tool: 'http__query', limit: 10, order: 'oldest' });
    expect(called).toHaveLength(3);
    await storage.credentials.save(exampleCredential('http', shared, { token: 'new' }, 2), 1);
    expect(await storage.credentials.list()).toHaveLength(2);
    await storage.close();
    const rotating = await place.open({ masterKeys: { active: otherKey, retired: [masterKeys.active] } });
    expect(await rotating.rotateSecrets()).toEqual({ resealed: 6, unreadable: [] });
    expect((await contentsOf(rotating)).stores).toMatchObject({
      credentials: [{ version: 1 }, { version: 2 }],
    });
  });

  test('data are kept when the next schema comes, and the release before then refuses the store', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    const before = await contentsOf(storage);
    await storage.close();
    await withDatabase(place.url, (database) =>
      migrate(database, { clock: systemClock, migrations: [...MIGRATIONS, later] }),
    );
    expect(await place.execute('select motto from agents')).toEqual([{ motto: 'none' }]);
    await expect(place.open()).rejects.toMatchObject({ code: 'config_invalid' });
    await place.execute(`delete from schema_migrations where version = ${NEXT}`);
    expect(await contentsOf(await place.open())).toEqual(before);
  });

  test('a step that fails leaves the schema before it', async () => {
    const place = await places.create();
    await withDatabase(place.url, async (database) => {
      await migrate(database, { clock: systemClock });
      await expect(
        migrate(database, { clock: systemClock, migrations: [...MIGRATIONS, failing] }),
      ).rejects.toThrow('it does not work');
      expect(await readSchemaVersion(database)).toBe(SCHEMA_VERSION);
    });
    await expect(place.execute('select * from half')).rejects.toThrow(/half/);
    await place.open();
  });
}

import { afterAll, beforeAll, describe } from 'vitest';
import { startPostgres, type TestPostgres } from '../support/postgres.js';
import { backupContract } from './backup.contract.js';
import { postgresFaults } from './postgres-faults.contract.js';
import { migrationsContract } from './migrations.contract.js';
import { readPostgresColumns, schemaDocsContract } from './schema-docs.contract.js';
import { secretsContract } from './secrets.contract.js';
import { storageContract } from './storage.contract.js';
import { storeContracts } from './store-contracts.js';
import { usePostgres, useSqliteFiles } from './store-place.js';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop(), 60_000);

describe('Postgres', () => {
  const places = usePostgres(() => server);
  storeContracts(async (options) => (await places.create()).open(options));
});

describe('Postgres as a whole', () => {
  const places = usePostgres(() => server);
  const files = useSqliteFiles();
  storageContract(places);
  describe('migrations', () => {
    migrationsContract(places);
  });
  schemaDocsContract(places, { integer: 'bigint', key: 'text C', text: 'text' }, readPostgresColumns);
  secretsContract(places);
  describe('backup', () => {
    backupContract(places, [
      ['Postgres', places],
      ['SQLite', files],
    ]);
  });
  describe('backup of SQLite', () => {
    backupContract(files, [['Postgres', places]]);
  });
});

describe('Postgres with several hubs and faults', () => {
  postgresFaults(
    () => server,
    usePostgres(() => server),
  );
});

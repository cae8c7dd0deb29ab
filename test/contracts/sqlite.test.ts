import { describe } from 'vitest';
import { openStorage } from '../../src/storage/index.js';
import { backupContract } from './backup.contract.js';
import { masterKeys } from './examples.js';
import { migrationsContract } from './migrations.contract.js';
import { readSqliteColumns, schemaDocsContract } from './schema-docs.contract.js';
import { secretsContract } from './secrets.contract.js';
import { storageContract } from './storage.contract.js';
import { storeContracts } from './store-contracts.js';
import { useSqliteFiles } from './store-place.js';

describe('SQLite in memory', () => {
  const places = useSqliteFiles();
  storeContracts((options) => places.track(openStorage({ url: 'sqlite::memory:', masterKeys, ...options })));
});

describe('SQLite in a file', () => {
  const places = useSqliteFiles();
  storeContracts(async (options) => (await places.create()).open(options));
});

describe('SQLite as a whole', () => {
  const places = useSqliteFiles();
  storageContract(places);
  describe('migrations', () => {
    migrationsContract(places);
  });
  schemaDocsContract(places, { integer: 'integer', key: 'text', text: 'text' }, readSqliteColumns);
  secretsContract(places);
  describe('backup', () => {
    backupContract(places, [['SQLite', places]]);
  });
});

import { describe } from 'vitest';
import { openStorage, type EventPrimary } from '../../src/storage/index.js';
import { backupContract } from './backup.contract.js';
import { eventStoreContract } from './event-store.contract.js';
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

describe('SQLite as a worker has it: events', () => {
  const places = useSqliteFiles();
  eventStoreContract(async () => {
    const place = await places.create();
    const { eventPrimary } = await place.open();
    return (await place.open({ primary: asJson(eventPrimary!) })).events;
  });
});

/** As it is with a process between: only what JSON can say gets through. */
function asJson(primary: EventPrimary): EventPrimary {
  const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  return {
    next: async (events) => sent(await primary.next(sent(events))),
    append: (records) => primary.append(sent(records)),
    settle: () => primary.settle(),
    trim: (sequence) => primary.trim(sequence),
  };
}

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

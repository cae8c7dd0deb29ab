import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../../src/kernel/index.js';
import { migrate } from '../../../src/storage/migrate.js';
import { MIGRATIONS } from '../../../src/storage/migrations/index.js';
import { openSqlite } from '../../../src/storage/sqlite/open-sqlite.js';
import { openStorage, type Storage } from '../../../src/storage/index.js';
import {
  chainAfter,
  exampleConnector,
  exampleCredential,
  exampleDiff,
  examplePolicy,
  exampleSnapshot,
  finished,
  intended,
  masterKeys,
  otherKey,
  shared,
} from '../examples.js';

/** A hub's worth of writing until someone ends it. A line on the standard output acknowledges what was written. */
const [task = '', url = ''] = process.argv.slice(2);
setTimeout(() => process.exit(9), 60_000).unref();

function acknowledge(what: number | string): void {
  writeSync(1, `${what}\n`);
}

async function appendEvents({ events }: Storage, callsInGroup: number): Promise<void> {
  let head: { sequence: number; hash: string } = (await events.last()) ?? (await events.anchor());
  for (let group = 0; ; group++) {
    const calls = Array.from({ length: callsInGroup }, (_, index) => `${process.pid}-${group}-${index}`);
    const records = chainAfter(head, [
      ...calls.map((call) => intended(call)),
      ...calls.slice(1).map((call) => finished(call)),
    ]);
    await events.append(records);
    head = records.at(-1) ?? head;
    acknowledge(head.sequence);
    await turn();
  }
}

async function changeThings(storage: Storage): Promise<void> {
  for (let number = 0; ; number++) {
    const id = `n${number}`;
    await storage.connectors.add(exampleConnector(id));
    await storage.connectors.replace(exampleConnector(id, { version: 2, name: id }), 1);
    await storage.credentials.save(exampleCredential(id, shared, { token: id }));
    await storage.snapshots.save(exampleSnapshot('linear', { takenAt: number }), exampleDiff);
    await storage.policies.add(examplePolicy(id));
    acknowledge(number);
    await turn();
  }
}

async function dieInMigration(): Promise<void> {
  const database = await openSqlite({
    path: url.slice('sqlite:'.length),
    durability: 'process',
    access: 'hub',
    lockWaitMs: 0,
    maxBytes: undefined,
  });
  database.beginUse();
  const version = MIGRATIONS.length + 1;
  const deadly = {
    version,
    name: 'deadly',
    async up({ schema }: Parameters<(typeof MIGRATIONS)[number]['up']>[0]) {
      await schema.createTable('unfinished').addColumn('id', 'text').execute();
      await schema.alterTable('agents').addColumn('more', 'text').execute();
      acknowledge('inside');
      process.kill(process.pid, 'SIGKILL');
    },
  };
  await migrate(database, { clock: systemClock, migrations: [...MIGRATIONS, deadly] });
}

async function rotate(): Promise<void> {
  const storage = await openStorage({ url, masterKeys: { active: otherKey, retired: [masterKeys.active] } });
  await storage.rotateSecrets({ onProgress: acknowledge });
}

async function backUp(): Promise<void> {
  const storage = await openStorage({ url, masterKeys });
  for (let number = 0; ; number++) {
    await storage.backup(`${url.slice('sqlite:'.length)}.backup-${number}`);
    acknowledge(number);
  }
}

async function hold(): Promise<void> {
  const storage = await openStorage({ url, masterKeys });
  acknowledge('open');
  await new Promise(() => setInterval(() => void storage.check(), 1_000));
}

const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  events: async () => appendEvents(await openStorage({ url, masterKeys }), 5),
  'many events': async () => appendEvents(await openStorage({ url, masterKeys }), 250),
  changes: async () => changeThings(await openStorage({ url, masterKeys })),
  migration: dieInMigration,
  rotation: rotate,
  backups: backUp,
  hold,
};
await TASKS[task]?.();

import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isHubError, silentLogger, systemClock, toConnectorId } from '../../src/kernel/index.js';
import { openEventLog, verifyChain, type EventStore } from '../../src/governance/index.js';
import { MIGRATIONS } from '../../src/storage/migrations/index.js';
import { openPostgres } from '../../src/storage/postgres/open-postgres.js';
import { startSocketProxy } from '../support/fault-proxy.js';
import type { TestPostgres } from '../support/postgres.js';
import {
  appendAll,
  exampleAgent,
  exampleConnector,
  exampleCredential,
  exampleDiff,
  exampleSnapshot,
  hub as hubActor,
  masterKeys,
  otherKey,
  shared,
  started,
} from './examples.js';
import type { Places } from './store-place.js';

/** As the event log does: whoever comes second reads the end of the chain again. */
async function appendEventually(store: EventStore, version: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await appendAll(store, [
        { type: 'hub.started', version },
        { type: 'hub.stopped', version },
      ]);
      return;
    } catch (error) {
      if (!isHubError(error, 'conflict')) throw error;
    }
  }
  throw new Error('never got a turn');
}

export function postgresFaults(server: () => TestPostgres, places: Places): void {
  test('hubs that start together bring the schema forward once', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 4 }, () => place.open({ poolSize: 2 })));
    for (const [index, storage] of storages.entries()) await storage.agents.add(exampleAgent(`a${index}`));
    expect(await storages[0]?.agents.list()).toHaveLength(4);
    expect(await place.execute('select version from schema_migrations order by version')).toHaveLength(
      MIGRATIONS.length,
    );
  });

  test('hubs that write together make one chain without gap or repetition', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 3 }, () => place.open({ poolSize: 2 })));
    await Promise.all(
      storages.map(async ({ events }, hub) => {
        for (let round = 0; round < 12; round++) await appendEventually(events, `${hub}-${round}`);
      }),
    );
    const [first] = storages;
    expect(await verifyChain(first!.events)).toMatchObject({ ok: true, events: 72 });
    const versions = (await first!.events.query({ type: 'hub.started', limit: 100, order: 'oldest' })).map(
      ({ event }) => 'version' in event && event.version,
    );
    expect(new Set(versions).size).toBe(36);
  });

  test('the logs of three hubs under load keep every intent in one chain, and refuse none', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 3 }, () => place.open({ poolSize: 4 })));
    const logs = await Promise.all(
      storages.map(({ events }) => openEventLog({ store: events, clock: systemClock, logger: silentLogger })),
    );
    const each = 1_500;
    await Promise.all(
      logs.flatMap((log) =>
        // Ten that go on as soon as they may, so that every log always has something to write.
        Array.from({ length: 10 }, async () => {
          for (let count = 0; count < each / 10; count++) await log.intend(hubActor, started);
        }),
      ),
    );
    for (const log of logs) {
      expect(log.available).toBe(true);
      await log.close();
    }
    expect(await verifyChain(storages[0]!.events)).toMatchObject({ ok: true, events: 3 * each });
  });

  test('of the calls of several hubs one takes a ticket and one uses it', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 3 }, () => place.open({ poolSize: 4 })));
    const callers = Array.from({ length: 21 }, (_, index) => storages[index % 3]!.tickets);
    const [tickets] = callers;
    for (let round = 0; round < 5; round++) {
      const name = `round ${round}`;
      for (const kind of ['taken', 'used'])
        await tickets!.put({ kind, name, value: '1', expiresAt: Number.MAX_SAFE_INTEGER });
      const taken = await Promise.all(callers.map((store) => store.take('taken', name)));
      expect(taken.filter((ticket) => ticket !== undefined)).toHaveLength(1);
      const used = await Promise.all(callers.map((store) => store.use('used', name)));
      expect(used.filter(Boolean)).toHaveLength(1);
    }
  });

  test('hubs that choose and renew together leave one default account of each owner', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 3 }, () => place.open({ poolSize: 4 })));
    const linear = toConnectorId('linear');
    const account = (name: string, version = 1) => ({
      ...exampleCredential('linear', shared, { t: name }, version),
      account: name,
    });
    for (let round = 1; round <= 5; round++) {
      await Promise.all(
        storages.flatMap(({ credentials }, hub) => [
          credentials.save(account(`of ${hub}`)),
          credentials.choose(linear, shared, `of ${(hub + 1) % 3}`),
          credentials.remove(linear, shared, `of ${(hub + 2) % 3}`),
          credentials.save(account('renewed', round), round - 1).catch((error: unknown) => {
            if (!isHubError(error, 'precondition_failed')) throw error;
          }),
        ]),
      );
      const all = await storages[0]!.credentials.list(linear);
      expect(all.filter(({ isDefault }) => isDefault)).toHaveLength(1);
      expect(all.find(({ account: name }) => name === 'renewed')?.version).toBe(round);
    }
  });

  test('hubs that trim together leave a chain that verifies', async () => {
    const place = await places.create();
    const storages = await Promise.all(Array.from({ length: 3 }, () => place.open({ poolSize: 2 })));
    for (let group = 0; group < 4; group++)
      await appendAll(
        storages[0]!.events,
        Array.from({ length: 250 }, () => started),
      );
    await Promise.all([
      ...storages.map(({ events }, index) => events.trim(300 + 100 * index)),
      ...storages.map(({ events }) => events.trim(200)),
      appendEventually(storages[1]!.events, 'x'),
    ]);
    expect(await storages[2]!.events.anchor()).toMatchObject({ sequence: 500 });
    expect(await verifyChain(storages[2]!.events)).toMatchObject({ ok: true, events: 502 });
  });

  test('more work than connections waits its turn', async () => {
    const storage = await (await places.create()).open({ poolSize: 1 });
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        storage.snapshots.save(exampleSnapshot('linear', { takenAt: index }), exampleDiff),
      ),
    );
    expect(await storage.snapshots.history(toConnectorId('linear'), 100)).toHaveLength(30);
  });

  test('F20: connections that are cut are replaced, and nothing is written twice', async () => {
    const place = await places.create();
    const storage = await place.open({ poolSize: 3 });
    await storage.connectors.add(exampleConnector('before'));
    const appending = Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => storage.agents.add(exampleAgent(`a${index}`))),
    );
    await server().query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crosspoint'`,
    );
    for (const outcome of await appending)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'storage_unavailable' });
    await expect
      .poll(
        () =>
          storage.check().then(
            () => 'ready',
            () => 'not yet',
          ),
        { timeout: 5_000 },
      )
      .toBe('ready');
    await appendAll(storage.events, [started]);
    expect(await storage.connectors.list()).toHaveLength(1);
  });

  test('F20: a connection that is cut between two statements ends their transaction, not the hub', async () => {
    const { url } = await places.create();
    const database = await openPostgres({ url, logger: silentLogger, poolSize: 1 });
    const transaction = database.db.transaction().execute(async (db) => {
      const [own] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows;
      await server().query('select pg_terminate_backend($1)', [own?.pid]);
      const alive = async () =>
        (await server().query('select 1 from pg_stat_activity where pid = $1', [own?.pid])).length;
      await expect.poll(alive).toBe(0);
      await sql`select 1`.execute(db);
    });
    await expect(transaction).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect((await sql`select 1`.execute(database.db)).rows).toHaveLength(1);
    await database.close();
  });

  test('F20: a restart of the server is an interruption, not an end', { timeout: 60_000 }, async () => {
    const place = await places.create();
    const storage = await place.open();
    await appendAll(storage.events, [started, started]);
    await server().restart();
    await expect
      .poll(
        () =>
          storage.check().then(
            () => 'ready',
            () => 'not yet',
          ),
        { timeout: 20_000 },
      )
      .toBe('ready');
    await appendAll(storage.events, [started]);
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 3 });
  });

  test('a server that says nothing any more is given up within seconds, and used again when it answers', async () => {
    const { url } = await places.create();
    const { host, port, user, password, database: name } = new pg.Client({ connectionString: url });
    const proxy = await startSocketProxy(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    const near = `postgres://${user}:${password ?? ''}@127.0.0.1:${proxy.port}/${name}`;
    const database = await openPostgres({ url: near, logger: silentLogger, poolSize: 2 });
    const ask = (seconds: number) => sql`select pg_sleep(${seconds})`.execute(database.db);
    // Slow, but there.
    await Promise.all([ask(6), ask(0)]);
    proxy.fault = 'half_open';
    const begun = performance.now();
    const failed = await Promise.allSettled([ask(0), database.db.transaction().execute(() => ask(0))]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - begun).toBeLessThan(15_000);
    proxy.fault = 'pass';
    await ask(0);
    await database.close();
    await proxy.close();
  }, 60_000);

  test('F23: a server that only reads is unavailable for writing', async () => {
    const place = await places.create();
    await (await place.open()).close();
    const url = place.url.replace('search_path', 'default_transaction_read_only%3Don%20-c%20search_path');
    const reader = await place.open({ url, access: 'read' });
    expect(await reader.connectors.list()).toEqual([]);
    await expect(reader.connectors.add(exampleConnector('a'))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  test('F23: a database whose tables are gone is unavailable', async () => {
    const place = await places.create();
    const storage = await place.open();
    await place.execute('drop table schema_migrations');
    await expect(storage.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  test('B0.4: a server that cannot be reached is unavailable, and its address is in no message', async () => {
    const place = await places.create();
    const url = 'postgres://someone:hunter2@127.0.0.1:1/none';
    const failed = await place.open({ url }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'storage_unavailable' });
    expect(String(failed)).not.toContain('hunter2');
    await expect(place.open({ url: 'postgres://someone:hunter2@[/none' })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.not.stringContaining('hunter2') as string,
    });
  });

  test('a store that is used with another key is refused for a second hub', async () => {
    const place = await places.create();
    await place.open();
    await expect(place.open({ masterKeys: { active: otherKey } })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    await place.open({ masterKeys });
  });
}

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { restoreStorage } from '../../src/storage/index.js';
import { appendAll, masterKeys, otherKey, SCHEMA_1, started } from './examples.js';
import { fillSchema1, openDatabase } from './migrations.contract.js';
import type { Places, StorePlace } from './store-place.js';
import { CANARIES, contentsOf, fill } from './whole-store.js';

async function backedUp(places: Places): Promise<{
  readonly place: StorePlace;
  readonly path: string;
  readonly contents: Awaited<ReturnType<typeof contentsOf>>;
}> {
  const place = await places.create();
  const storage = await place.open();
  await fill(storage);
  const path = join(place.folder, 'backup');
  await storage.backup(path);
  const contents = await contentsOf(storage);
  await storage.close();
  return { place, path, contents };
}

/** `to` are all the places a backup of `places` can be restored to. */
export function backupContract(places: Places, to: readonly (readonly [string, Places])[]): void {
  describe.each(to)('restored to %s', (_, targets) => {
    test('B5.7: a restored store has the same contents and the same chain', async () => {
      const { path, contents } = await backedUp(places);
      const target = await targets.create();
      const { rows } = await restoreStorage({ url: target.url, from: path, masterKeys });
      expect(rows).toBeGreaterThan(15);
      const restored = await target.open();
      expect(await contentsOf(restored)).toEqual(contents);
      expect(contents.chain).toMatchObject({ ok: true, events: 104 });
      await appendAll(restored.events, [started]);
      // What counts once must not count again.
      expect(await restored.tickets.count('browser')).toBe(0);
      expect(await restored.instances.living(1e12)).toEqual(new Set());
    });

    test.each(['lines', 'a file'])('%s of the release before are brought forward', async (form) => {
      const target = await targets.create();
      const file = join(target.folder, 'schema-1.db');
      if (form === 'a file') await writeSchema1File(file);
      await restoreStorage({ url: target.url, from: form === 'lines' ? SCHEMA_1 : file, masterKeys });
      const restored = await target.open();
      const { stores, chain } = await contentsOf(restored);
      expect(chain).toMatchObject({ ok: true, events: 4 });
      expect(stores).toMatchObject({
        connectors: [
          { id: 'child' },
          { id: 'http', auth: { token: { secret: 'canary-bearer' } } },
          { id: 'oauth' },
        ],
        agents: [{ id: 'ci', tags: ['robots'] }],
        keys: [[{ id: 'k1' }]],
        credentials: [
          { account: 'default', isDefault: true, values: { token: { secret: 'canary-credential-of-one' } } },
          { account: 'default', isDefault: true, values: { token: { secret: 'canary-credential-of-all' } } },
        ],
        policies: [{ id: 'starter' }],
        setting: 'hub-1',
        anchor: { sequence: 1 },
        unfinished: [{ event: { callId: 'c2' } }],
      });
      expect(restored.schemaVersion).toBeGreaterThanOrEqual(1);
    });

    test('nothing is restored over something, with another key, or from what is no backup', async () => {
      const { path } = await backedUp(places);
      const target = await targets.create();
      await expect(
        restoreStorage({
          url: target.url,
          from: path,
          masterKeys: { active: { id: 'first', key: otherKey.key } },
        }),
      ).rejects.toMatchObject({ code: 'config_invalid' });
      await expect(
        restoreStorage({ url: target.url, from: path, masterKeys: { active: otherKey } }),
      ).rejects.toMatchObject({ code: 'config_invalid' });
      await expect(
        restoreStorage({ url: target.url, from: `${path}-none`, masterKeys }),
      ).rejects.toMatchObject({ code: 'not_found' });
      const bad = join(target.folder, 'bad');
      for (const [content, code] of badBackups(path)) {
        writeFileSync(bad, content);
        await expect(
          restoreStorage({ url: target.url, from: bad, masterKeys }),
          content.toString('latin1', 0, 60),
        ).rejects.toMatchObject({ code });
      }
      // A failed attempt leaves nothing in the way of a good one, and a good one is not overwritten.
      await restoreStorage({ url: target.url, from: path, masterKeys });
      await expect(restoreStorage({ url: target.url, from: path, masterKeys })).rejects.toMatchObject({
        code: 'conflict',
      });
    });
  });

  test('B5.5 B5.7: the file is readable by its owner only, and what it holds of secrets is sealed', async () => {
    const umask = process.umask(0);
    try {
      const { path } = await backedUp(places);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const bytes = readFileSync(path);
      for (const canary of CANARIES) expect(bytes.includes(canary)).toBe(false);
      expect(bytes.includes('hub-1')).toBe(true);
    } finally {
      process.umask(umask);
    }
  });

  test('a file that exists is not overwritten, and a failed backup leaves no file', async () => {
    const place = await places.create();
    const storage = await place.open();
    const path = join(place.folder, 'here');
    writeFileSync(path, 'mine');
    await expect(storage.backup(path)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    const nowhere = join(place.folder, 'no', 'such', 'folder');
    await expect(storage.backup(nowhere)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(existsSync(nowhere)).toBe(false);
  });

  test('a backup is of one moment, while events are appended', async () => {
    const place = await places.create();
    const storage = await place.open();
    for (let group = 0; group < 4; group++)
      await appendAll(
        storage.events,
        Array.from({ length: 400 }, () => started),
      );
    const path = join(place.folder, 'busy');
    const progress = { done: false };
    const backup = storage.backup(path).finally(() => (progress.done = true));
    let appended = 0;
    while (!progress.done && appended < 2_000) {
      await appendAll(storage.events, [started, started]);
      appended += 2;
    }
    await backup;
    await storage.close();
    const target = await places.create();
    await restoreStorage({ url: target.url, from: path, masterKeys });
    const { chain } = await contentsOf(await target.open());
    expect(chain).toMatchObject({ ok: true });
    expect(chain.ok && chain.events).toBeGreaterThanOrEqual(1_600);
  });

  test('closing waits for a backup, and afterwards there is none', async () => {
    const place = await places.create();
    const storage = await place.open();
    const path = join(place.folder, 'last');
    const backup = storage.backup(path);
    await storage.close();
    await backup;
    expect(existsSync(path)).toBe(true);
    await expect(storage.backup(`${path}2`)).rejects.toMatchObject({ code: 'shutting_down' });
  });
}

async function writeSchema1File(path: string): Promise<void> {
  const database = await openDatabase(`sqlite:${path}`);
  try {
    await fillSchema1(database);
  } finally {
    await database.close();
  }
}

function isLines(backup: Buffer): boolean {
  return backup.toString('latin1', 0, 1) === '{';
}

function* badBackups(path: string): Generator<readonly [Buffer, string]> {
  const good = readFileSync(path);
  yield [Buffer.alloc(0), 'config_invalid'];
  yield [Buffer.from('hello\n'), 'config_invalid'];
  yield [Buffer.from('{"format":"crosspoint-backup","version":2,"schemaVersion":1}\n'), 'config_invalid'];
  yield [Buffer.from('{"format":"crosspoint-backup","version":1,"schemaVersion":999}\n'), 'config_invalid'];
  yield [
    Buffer.from(
      '{"format":"crosspoint-backup","version":1,"schemaVersion":1}\n{"table":"sqlite_master","row":{}}\n',
    ),
    'config_invalid',
  ];
  yield [
    Buffer.from(
      '{"format":"crosspoint-backup","version":1,"schemaVersion":1}\n{"table":"settings","row":{"key":"a","value":{}}}\n',
    ),
    'config_invalid',
  ];
  yield [good.subarray(0, Math.floor(good.length / 2)), 'config_invalid'];
  const altered = Buffer.from(good);
  const at = altered.indexOf('hub-1');
  altered.write('hub-2', at);
  yield [altered, 'config_invalid'];
  // The line feed at the end of lines says nothing.
  yield [good.subarray(0, isLines(good) ? -2 : -1), 'config_invalid'];
  yield [Buffer.concat([good, Buffer.from('\0')]), 'config_invalid'];
  const flipped = Buffer.from(good);
  const middle = Math.floor(good.length / 2);
  for (let i = middle; i < middle + 64; i++) flipped[i] = ~(flipped[i] ?? 0) & 0xff;
  yield [flipped, 'config_invalid'];
}

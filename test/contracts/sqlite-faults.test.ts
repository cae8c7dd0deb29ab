import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test, vi } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { toConnectorId } from '../../src/kernel/index.js';
import { restoreStorage } from '../../src/storage/index.js';
import {
  agentActor,
  appendAll,
  exampleConnector,
  exampleDiff,
  finished,
  exampleSnapshot,
  masterKeys,
  nextRecords,
  otherKey,
  started,
} from './examples.js';
import { useSqliteFiles, type StorePlace } from './store-place.js';
import { CANARIES, contentsOf, fill } from './whole-store.js';

const places = useSqliteFiles();
const pathOf = ({ url }: StorePlace) => url.slice('sqlite:'.length);

describe('files', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  test.each([0, 0o022, 0o077])('B5.5: are their owner’s alone, with umask %o', async (mask) => {
    const umask = process.umask(mask);
    try {
      const place = await places.create();
      const storage = await place.open();
      await fill(storage);
      const folder = dirname(pathOf(place));
      expect(modeOf(folder)).toBe(0o700);
      const files = readdirSync(folder);
      expect(files).toEqual(expect.arrayContaining(['hub.db', 'hub.db-wal', 'hub.db-shm', 'hub.db.lock']));
      for (const file of files) expect(modeOf(join(folder, file)), file).toBe(0o600);
    } finally {
      process.umask(umask);
    }
  });

  test('B5.5: of a store that others could read are closed to them', async () => {
    const place = await places.create();
    await (await place.open()).close();
    chmodSync(pathOf(place), 0o644);
    await place.open();
    expect(modeOf(pathOf(place))).toBe(0o600);
  });

  test('B5.2: hold no secret in clear, nor does the write-ahead log', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    // By another process: closing a file of an open store in this one would drop the locks on it.
    const found = (text: string) =>
      execFileSync('grep', ['-rlaF', text, dirname(pathOf(place))], { encoding: 'utf8' })
        .trim()
        .split('\n');
    const inClear = (text: string) => {
      try {
        return found(text);
      } catch {
        return [];
      }
    };
    expect(inClear('hub-1')).toContain(`${pathOf(place)}-wal`);
    for (const canary of CANARIES) expect(inClear(canary), canary).toEqual([]);
    await storage.close();
    expect(inClear('hub-1')).toContain(pathOf(place));
    for (const canary of CANARIES) expect(inClear(canary), canary).toEqual([]);
  });

  test('B0.3: stay as they are, to the byte, when the master key is wrong', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    await storage.close();
    const before = readFileSync(pathOf(place));
    await expect(place.open({ masterKeys: { active: otherKey } })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    expect(readFileSync(pathOf(place)).equals(before)).toBe(true);
  });
});

describe('F19: a damaged store is refused with what to do, never replaced', () => {
  const overwrite = (path: string, at: number, bytes: Buffer) => {
    const file = openSync(path, 'r+');
    writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
  };

  test.each<[string, (path: string) => void]>([
    ['empty', (path) => truncateSync(path, 0)],
    ['shorter than its header', (path) => truncateSync(path, 50)],
    ['cut to one page', (path) => truncateSync(path, 4096)],
    ['cut to a half', (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
    ['cut within a page', (path) => truncateSync(path, statSync(path).size - 1000)],
    ['without its header', (path) => overwrite(path, 0, Buffer.alloc(100))],
    ['with a page of noise', (path) => overwrite(path, 4096 * 3, Buffer.alloc(4096, 0xa5))],
    ['with a flipped bit in a page header', (path) => overwrite(path, 4096 * 2, Buffer.from([0x4d]))],
    ['not a database', (path) => writeFileSync(path, 'hello '.repeat(1_000))],
  ])('%s', async (_, damage) => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    await storage.close();
    const path = pathOf(place);
    const whole = join(place.folder, 'whole.db');
    copyFileSync(path, whole);
    damage(path);
    const damaged = readFileSync(path);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(place.open()).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/restore a backup/) as string,
      });
    }
    // What can still be saved of it is still there.
    expect(readFileSync(path).equals(damaged)).toBe(true);
    copyFileSync(whole, path);
    expect((await contentsOf(await place.open())).chain).toMatchObject({ ok: true });
  });

  test('the database of another program', async () => {
    const place = await places.create();
    await (await place.open()).close();
    const other = new DatabaseSync(join(place.folder, 'other.db'));
    other.exec('create table t (x)');
    other.close();
    copyFileSync(join(place.folder, 'other.db'), pathOf(place));
    await expect(place.open()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('another program') as string,
    });
  });

  test('a file that is gone while its log is there', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    const folder = dirname(pathOf(place));
    execFileSync('cp', ['-r', folder, join(place.folder, 'copy')]);
    const copied = { ...place, url: `sqlite:${join(place.folder, 'copy', 'hub.db')}` };
    execFileSync('rm', [pathOf(copied)]);
    const open = () => place.open({ url: copied.url });
    await expect(open()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('-wal') as string,
    });
    expect(existsSync(pathOf(copied))).toBe(false);
  });

  test.each([
    ['a row', 20, `update events set payload = replace(payload, 'v12x', 'v12y')`, 'altered'],
    ['a block', 100, `update event_blocks set lines = replace(lines, 'v12x', 'v12y')`, 'altered'],
    [
      'a block',
      100,
      `update event_blocks set lines = replace(lines, '{"kind":"hub"},"event":{"type":"hub.started","version":"v12x"', '')`,
      'missing',
    ],
    ['a row', 20, `update events set type = 'hub.stopped' where payload like '%v12x%'`, 'altered'],
    ['a row', 20, `update events set agent = 'nobody' where payload like '%v12x%'`, 'altered'],
    ['a row', 20, `update events set tool = 'other' where payload like '%v12x%'`, 'altered'],
  ])(
    'B5.3: one changed event of %s is named by its sequence (%#)',
    async (_where, count, change, problem) => {
      const place = await places.create();
      const storage = await place.open();
      await appendAll(
        storage.events,
        Array.from(
          { length: count },
          (_, index) => ({ type: 'hub.started', version: `v${index}x` }) as const,
        ),
      );
      await storage.close();
      await place.execute(change);
      expect(await verifyChain((await place.open()).events)).toEqual({ ok: false, sequence: 13, problem });
    },
  );
});

test.each([
  `names = replace(names, 'agent=ada', 'agent=bob')`,
  `names = replace(names, 'call.finished', 'hub.started')`,
  'earliest = earliest + 100000',
  'latest = latest - 100000',
  'first = first + 1',
])('B5.3: a block that is not found by what it holds any more is named (%s)', async (change) => {
  const place = await places.create();
  const storage = await place.open();
  await appendAll(
    storage.events,
    Array.from({ length: 100 }, (_, index) => [agentActor('ada'), finished(`c${index}`)] as const),
  );
  await storage.close();
  await place.execute(`update event_blocks set ${change}`);
  expect(await verifyChain((await place.open()).events)).toMatchObject({ ok: false, sequence: 1 });
});

describe('a backup', () => {
  test('is not restored under a hub that runs, nor beside the log of a store that is gone', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    const backup = join(place.folder, 'backup');
    await storage.backup(backup);
    const restore = () => restoreStorage({ url: place.url, from: backup, masterKeys });
    // The hub goes on with its file, whatever it is called now.
    renameSync(pathOf(place), `${pathOf(place)}.away`);
    await expect(restore()).rejects.toMatchObject({ code: 'config_invalid' });
    renameSync(`${pathOf(place)}.away`, pathOf(place));
    await storage.close();

    renameSync(pathOf(place), `${pathOf(place)}.away`);
    writeFileSync(`${pathOf(place)}-wal`, 'records of another store');
    await expect(restore()).rejects.toMatchObject({ code: 'config_invalid' });
    rmSync(`${pathOf(place)}-wal`);
    await restore();
    expect((await contentsOf(await place.open())).chain).toMatchObject({ ok: true });
  });
});

describe('F14: a full disk', () => {
  test('refuses what is new, whole; reads go on; and when there is room again so do writes', async () => {
    const place = await places.create();
    const storage = await place.open({ maxBytes: 400_000 });
    await storage.connectors.add(exampleConnector('before'));
    const full = { code: 'storage_unavailable' };
    let refused: unknown;
    for (let group = 0; group < 100 && refused === undefined; group++) {
      try {
        await appendAll(
          storage.events,
          Array.from({ length: 50 }, () => started),
        );
      } catch (error) {
        refused = error;
      }
    }
    expect(refused).toMatchObject(full);

    const kept = await storage.events.count();
    expect(kept % 50).toBe(0);
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: kept });
    await storage.check();
    const large = exampleSnapshot('linear', { tools: [{ name: 'x'.repeat(200_000), inputSchema: {} }] });
    await expect(storage.snapshots.save(large, exampleDiff)).rejects.toMatchObject(full);
    expect(await storage.snapshots.history(large.connectorId, 1)).toEqual([]);
    expect(await storage.connectors.find(toConnectorId('before'))).toBeDefined();
    const again = await nextRecords(
      storage.events,
      Array.from({ length: 200 }, () => started),
    );
    const append = async () => storage.events.append(again);
    await expect(append()).rejects.toMatchObject(full);
    expect(await storage.events.count()).toBe(kept);

    await storage.events.trim(kept - 50);
    await append();
    await storage.connectors.add(exampleConnector('after'));
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 250 });
    await storage.close();
    expect(await verifyChain((await place.open()).events)).toMatchObject({ ok: true, events: 250 });
  });
});

describe('F18: a store another program has locked', () => {
  test('is unavailable for that time', { timeout: 30_000 }, async () => {
    const place = await places.create();
    const storage = await place.open();
    const other = new DatabaseSync(pathOf(place));
    other.exec('begin immediate');
    const begun = performance.now();
    const append = async () => appendAll(storage.events, [started]);
    // The journal takes what comes first; nothing more once it is known that no rows can be made of it.
    await append();
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 1 });
    expect(performance.now() - begun).toBeLessThan(10_000);
    await expect(append()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(await storage.events.count()).toBe(1);
    other.exec('rollback');
    other.close();
    await vi.waitFor(append, { timeout: 10_000, interval: 100 });
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 2 });
  });
});

describe('an address', () => {
  test.each(['', 'sqlite:', 'mysql://x', 'hub.db', 'redis://x', 'sqlite:a\0b'])(
    'that names no store is refused: %j',
    async (url) => {
      const place = await places.create();
      await expect(place.open({ url })).rejects.toMatchObject({ code: 'config_invalid' });
    },
  );

  test('where no store can be is refused', async () => {
    const place = await places.create();
    writeFileSync(join(place.folder, 'file'), '');
    mkdirSync(join(place.folder, 'folder'));
    for (const path of ['file/hub.db', 'file/deeper/hub.db', 'folder', 'x'.repeat(300)]) {
      await expect(place.open({ url: `sqlite:${join(place.folder, path)}` }), path).rejects.toMatchObject({
        code: 'config_invalid',
      });
    }
    await expect(place.open({ url: `sqlite:${place.folder}/none.db`, access: 'read' })).rejects.toMatchObject(
      { code: 'config_invalid' },
    );
  });

  test('with or without slashes is a path', async () => {
    const place = await places.create();
    const storage = await place.open({ url: `sqlite://${place.folder}/slashes.db`, masterKeys });
    await storage.close();
    expect(existsSync(join(place.folder, 'slashes.db'))).toBe(true);
  });
});

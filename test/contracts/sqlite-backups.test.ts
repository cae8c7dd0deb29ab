import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { restoreStorage } from '../../src/storage/index.js';
import { appendAll, masterKeys, started } from './examples.js';
import { useSqliteFiles, type StorePlace } from './store-place.js';
import { contentsOf, fill } from './whole-store.js';

const places = useSqliteFiles();
const pathOf = ({ url }: StorePlace) => url.slice('sqlite:'.length);

describe('the copy of a database', () => {
  const PAGE = 4_096;
  let good: Buffer;
  let contents: Awaited<ReturnType<typeof contentsOf>>;

  beforeAll(async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    await storage.backup(join(place.folder, 'backup'));
    contents = await contentsOf(storage);
    await storage.close();
    good = readFileSync(join(place.folder, 'backup'));
  });

  const restored = async (bytes: Uint8Array) => {
    const place = await places.create();
    const from = join(place.folder, 'under another name');
    writeFileSync(from, bytes);
    await restoreStorage({ url: place.url, from, masterKeys }).catch((error: unknown) => {
      expect(existsSync(pathOf(place))).toBe(false);
      throw error;
    });
    return contentsOf(await place.open());
  };

  test.each([...Array(12).keys()])(
    'B5.7: is refused if a bit of its part %i of 12 is another',
    async (part) => {
      const bytes = Buffer.from(good);
      const at = Math.floor(((part + 1) * (bytes.length - 1)) / 12);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
      await expect(restored(bytes)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('nothing was restored') as string,
      });
    },
  );

  test.each([1, 60, 90, 91, PAGE - 1, PAGE + 1, 2 * PAGE])(
    'B5.7: is refused without its last %i bytes',
    async (bytes) => {
      await expect(restored(good.subarray(0, -bytes))).rejects.toMatchObject({ code: 'config_invalid' });
    },
  );

  test('B5.7: of an earlier release has no digest; it is restored if it is whole', async () => {
    const earlier = good.subarray(0, -PAGE);
    expect(await restored(earlier)).toEqual(contents);
    await expect(restored(earlier.subarray(0, -1))).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test('replaces a store once it is whole; until then, and for anything else, that keeps its name', async () => {
    const place = await places.create();
    const storage = await place.open();
    await appendAll(storage.events, [started]);
    await storage.close();
    const path = pathOf(place);
    const before = statSync(path).ino;
    const aside = `${path}.before`;
    const from = join(place.folder, 'from');
    const replace = () => restoreStorage({ url: place.url, from, masterKeys, moveTo: aside });
    for (const bytes of [good.subarray(0, -1), Buffer.alloc(100), Buffer.from('{"format":"crosspoint')]) {
      writeFileSync(from, bytes);
      await expect(replace()).rejects.toMatchObject({ code: 'config_invalid' });
      expect([statSync(path).ino, existsSync(aside)]).toEqual([before, false]);
    }
    writeFileSync(from, good);
    const running = await place.open();
    await expect(replace()).rejects.toThrow(/another hub uses this store/);
    await running.close();
    expect([statSync(path).ino, existsSync(aside)]).toEqual([before, false]);
    await replace();
    expect(statSync(aside).ino).toBe(before);
    expect(await contentsOf(await place.open())).toEqual(contents);
  });

  test('never takes a name that the store or SQLite gives a file of its own', async () => {
    const place = await places.create();
    await (await place.open()).close();
    const path = pathOf(place);
    const reader = await place.open({ access: 'read' });
    const besides = [
      '-wal',
      '-shm',
      '-journal',
      '-events',
      '.lock',
      '.lock-journal',
      '.new',
      '.restoring-wal',
    ];
    for (const name of [path, ...besides.map((suffix) => path + suffix), relative('.', `${path}-journal`)])
      await expect(reader.backup(name), name).rejects.toMatchObject({ code: 'conflict' });
    await reader.backup(`${path}-2026-11-18`);
    await reader.backup(`${path}.backup`);
    await reader.close();
    await (await place.open()).close();
  });

  test('is a database still: a store put in place by hand', async () => {
    const place = await places.create();
    mkdirSync(dirname(pathOf(place)), { recursive: true });
    writeFileSync(pathOf(place), good);
    const storage = await place.open();
    await appendAll(storage.events, [started]);
    const again = join(place.folder, 'again');
    await storage.backup(again);
    await storage.close();
    expect((await restored(readFileSync(again))).chain).toMatchObject({ ok: true, events: 105 });
  });
});

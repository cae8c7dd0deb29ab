import { cpSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { toConnectorId } from '../../src/kernel/index.js';
import { openStorage, restoreStorage } from '../../src/storage/index.js';
import { useChildren } from './child-process.js';
import { exampleCredential, masterKeys, otherKey, shared } from './examples.js';
import { useSqliteFiles } from './store-place.js';

const BOUND_MS = 60_000;

describe('a SQLite store whose process is killed', () => {
  const places = useSqliteFiles();
  const startChild = useChildren();
  const pathOf = (url: string) => url.slice('sqlite:'.length);

  test('has every event that was acknowledged, in an unbroken chain', { timeout: BOUND_MS }, async () => {
    const place = await places.create();
    for (let round = 1; round <= 3; round++) {
      const child = startChild('events', place.url);
      await child.untilLines(20 + 37 * round);
      await child.kill();
      const acknowledged = Number(child.lines.at(-1));
      const storage = await place.open();
      const last = await storage.events.last();
      expect(last?.sequence).toBeGreaterThanOrEqual(acknowledged);
      // A group is there whole or not at all: five intents and four outcomes.
      expect((last?.sequence ?? 0) % 9).toBe(0);
      expect(await verifyChain(storage.events)).toEqual({
        ok: true,
        events: last?.sequence,
        first: 1,
        head: last?.hash,
      });
      const unfinished = await storage.events.unfinishedCalls();
      expect(unfinished).toHaveLength((last?.sequence ?? 0) / 9);
      await storage.close();
    }
  });

  test('F11: also in the middle of copying its log into the file', { timeout: BOUND_MS }, async () => {
    const place = await places.create();
    const path = pathOf(place.url);
    for (let round = 1; round <= 2; round++) {
      const child = startChild('many events', place.url);
      await child.untilLines(5);
      const bytes = statSync(path).size;
      // Some pages of the log are in the file, others are not.
      while (statSync(path).size === bytes) await new Promise((resolve) => setTimeout(resolve, 1));
      await child.kill();
      const storage = await place.open();
      const last = await storage.events.last();
      expect(last?.sequence).toBeGreaterThanOrEqual(Number(child.lines.at(-1)));
      expect(await verifyChain(storage.events)).toEqual({
        ok: true,
        events: last?.sequence,
        first: 1,
        head: last?.hash,
      });
      await storage.close();
    }
  });

  test('F6: has every change that was acknowledged, and none by half', { timeout: BOUND_MS }, async () => {
    const place = await places.create();
    const child = startChild('changes', place.url);
    await child.untilLines(15);
    await child.kill();
    const acknowledged = Number(child.lines.at(-1));
    const storage = await place.open();
    for (let number = 0; number <= acknowledged; number++) {
      const id = toConnectorId(`n${number}`);
      expect(await storage.connectors.find(id)).toMatchObject({ version: 2, name: id });
      expect((await storage.credentials.find(id, shared))?.values['token']?.reveal()).toBe(id);
    }
    expect((await storage.policies.list()).length).toBeGreaterThan(acknowledged);
    const newest = await storage.snapshots.latest(toConnectorId('linear'));
    const [remembered] = await storage.snapshots.history(toConnectorId('linear'), 1);
    expect(remembered?.takenAt).toBe(newest?.takenAt);
    expect(newest?.takenAt).toBeGreaterThanOrEqual(acknowledged);
  });

  test(
    'F9: in the middle of a rotation every record is readable, and the rotation is resumed',
    { timeout: BOUND_MS },
    async () => {
      const place = await places.create();
      const first = await place.open();
      const count = 60;
      for (let index = 0; index < count; index++)
        await first.credentials.save(exampleCredential(`c${index}`, shared, { token: `value ${index}` }));
      await first.close();
      const child = startChild('rotation', place.url);
      await child.untilLines(5);
      await child.kill();

      const storage = await place.open({ masterKeys: { active: otherKey, retired: [masterKeys.active] } });
      for (let index = 0; index < count; index++) {
        expect(
          (await storage.credentials.find(toConnectorId(`c${index}`), shared))?.values['token']?.reveal(),
        ).toBe(`value ${index}`);
      }
      const { resealed } = await storage.rotateSecrets();
      expect(resealed).toBeLessThanOrEqual(count - child.lines.length);
      await storage.close();
      const opened = await place.open({ masterKeys: { active: otherKey } });
      expect(await opened.credentials.list()).toHaveLength(count);
    },
  );

  test('F11: in the middle of a backup has whole ones only', { timeout: BOUND_MS }, async () => {
    const place = await places.create();
    const before = await place.open();
    await before.settings.save('kept', 'yes');
    await before.close();
    const child = startChild('backups', place.url);
    await child.untilLines(3);
    await child.kill();
    const folder = dirname(pathOf(place.url));
    const backups = readdirSync(folder).filter((name) => /\.backup-\d+$/.test(name));
    expect(backups.length).toBeGreaterThanOrEqual(child.lines.length);
    for (const backup of backups) {
      const other = await places.create();
      await restoreStorage({ url: other.url, from: join(folder, backup), masterKeys });
      expect(await (await other.open()).settings.find('kept')).toBe('yes');
    }
    expect(await (await place.open()).settings.find('kept')).toBe('yes');
  });

  test('F10: in the middle of a migration has the schema before it', { timeout: BOUND_MS }, async () => {
    const place = await places.create();
    const before = await place.open();
    await before.settings.save('kept', 'yes');
    await before.close();
    const child = startChild('migration', place.url);
    await child.ended();
    expect(child.lines).toEqual(['inside']);
    const storage = await place.open();
    expect(await storage.settings.find('kept')).toBe('yes');
    await storage.close();
    expect(await place.execute(`select name from sqlite_master where name = 'unfinished'`)).toEqual([]);
    expect(await place.execute(`select name from pragma_table_info('agents') where name = 'more'`)).toEqual(
      [],
    );
  });

  test(
    'F18: holds its store alone while it lives, and not a moment longer',
    { timeout: BOUND_MS },
    async () => {
      const place = await places.create();
      const child = startChild('hold', place.url);
      await child.untilLines(1);
      await expect(place.open({ lockWaitMs: 100 })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('another hub') as string,
      });
      // Looking is allowed.
      const reader = await place.open({ access: 'read' });
      await reader.backup(join(place.folder, 'backup'));
      await reader.close();
      const opening = place.open({ lockWaitMs: 20_000 });
      await child.kill();
      const storage = await opening;
      await storage.check();
      await expect(place.open({ lockWaitMs: 0 })).rejects.toMatchObject({ code: 'config_invalid' });
      await storage.connectors.list();
    },
  );

  test(
    'F19: is refused if its newest records are gone with the "-wal" file',
    { timeout: BOUND_MS },
    async () => {
      const place = await places.create();
      const child = startChild('events', place.url);
      await child.untilLines(10);
      await child.kill();
      const log = `${pathOf(place.url)}-wal`;
      renameSync(log, `${log}.away`);
      const refused = { code: 'config_invalid', message: expect.stringContaining('-wal') as string };
      await expect(place.open()).rejects.toMatchObject(refused);
      await expect(place.open()).rejects.toMatchObject(refused);
      renameSync(`${log}.away`, log);
      // Neither a look nor an attempt with a wrong key takes the records away.
      await (await place.open({ access: 'read' })).close();
      await expect(place.open({ masterKeys: { active: otherKey } })).rejects.toMatchObject({
        code: 'config_invalid',
      });
      const storage = await place.open();
      expect((await storage.events.last())?.sequence).toBeGreaterThanOrEqual(Number(child.lines.at(-1)));
      await storage.close();
      // Everything is in the file itself now.
      expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
      await place.open();
    },
  );

  test(
    'F55: copies of its folder at any moment open with everything acknowledged',
    { timeout: BOUND_MS },
    async () => {
      const place = await places.create();
      const child = startChild('events', place.url);
      const copies: { readonly folder: string; readonly acknowledged: number }[] = [];
      for (let copy = 1; copy <= 5; copy++) {
        await child.untilLines(child.lines.length + 13 * copy);
        const acknowledged = Number(child.lines.at(-1));
        child.signal('SIGSTOP');
        const folder = join(place.folder, `copy-${copy}`);
        cpSync(join(place.folder, 'data'), folder, { recursive: true });
        child.signal('SIGCONT');
        copies.push({ folder, acknowledged });
      }
      await child.kill();
      for (const { folder, acknowledged } of copies) {
        const storage = await places.track(
          openStorage({ url: `sqlite:${join(folder, 'hub.db')}`, masterKeys }),
        );
        const last = await storage.events.last();
        expect(last?.sequence).toBeGreaterThanOrEqual(acknowledged);
        expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: last?.sequence });
      }
    },
  );
});

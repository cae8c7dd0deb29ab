import { describe, expect, test } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { toAgentId, toConnectorId } from '../../src/kernel/index.js';
import {
  appendAll,
  chainAfter,
  exampleAgent,
  exampleConnector,
  exampleDiff,
  exampleSnapshot,
  started,
} from './examples.js';
import type { Places } from './store-place.js';
import { contentsOf, fill } from './whole-store.js';

export function storageContract(places: Places): void {
  test('everything is there after closing and opening again', async () => {
    const place = await places.create();
    const storage = await place.open();
    await fill(storage);
    const before = await contentsOf(storage);
    await storage.close();
    const again = await place.open();
    expect(await contentsOf(again)).toEqual(before);
    await appendAll(again.events, [started]);
    const { chain } = before;
    if (!chain.ok) throw new Error('the chain is broken');
    expect(await verifyChain(again.events)).toMatchObject({ ok: true, events: chain.events + 1 });
  });

  test('a schema of a newer release is refused and left alone', async () => {
    const place = await places.create();
    await (await place.open()).close();
    await place.execute(
      `insert into schema_migrations (version, name, applied_at) values (999, 'from the future', 1)`,
    );
    await expect(place.open()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('999') as string,
    });
    await expect(place.open({ access: 'read' })).rejects.toMatchObject({ code: 'config_invalid' });
    await place.execute('delete from schema_migrations where version = 999');
    await place.open();
  });

  test('a second reader works beside the hub', async () => {
    const place = await places.create();
    const storage = await place.open();
    await storage.connectors.add(exampleConnector('a'));
    const reader = await place.open({ access: 'read' });
    await storage.connectors.add(exampleConnector('b'));
    await appendAll(storage.events, [started, started]);
    expect(await reader.connectors.list()).toHaveLength(2);
    expect(await verifyChain(reader.events)).toMatchObject({ ok: true, events: 2 });
    await reader.close();
    await storage.connectors.add(exampleConnector('c'));
  });

  test('a number that is too large is an error, not its neighbour', async () => {
    const place = await places.create();
    const storage = await place.open();
    await storage.agents.add(exampleAgent('a', { version: Number.MAX_SAFE_INTEGER }));
    await storage.close();
    await place.execute('update agents set version = 9007199254740993');
    const again = await place.open();
    await expect(again.agents.list()).rejects.toMatchObject({ code: 'internal' });
    await again.agents.remove(toAgentId('a'));
    expect(await again.agents.list()).toEqual([]);
  });

  test('it tells whether it can be used, and how large it is', async () => {
    const storage = await (await places.create()).open();
    await storage.check();
    const before = await storage.usedBytes();
    expect(before).toBeGreaterThan(0);
    for (let group = 0; group < 4; group++)
      await appendAll(
        storage.events,
        Array.from({ length: 500 }, () => started),
      );
    expect(await storage.usedBytes()).toBeGreaterThan(before + 100_000);
  });

  describe('after closing', () => {
    test('nothing works and closing again is no error', async () => {
      const storage = await (await places.create()).open();
      await appendAll(storage.events, [started]);
      const next = await storage.events.last();
      await storage.close();
      await storage.close();
      await storage[Symbol.asyncDispose]();
      const unavailable = { code: 'storage_unavailable' };
      await expect(storage.check()).rejects.toMatchObject(unavailable);
      await expect(storage.connectors.list()).rejects.toMatchObject(unavailable);
      await expect(storage.snapshots.save(exampleSnapshot(), exampleDiff)).rejects.toMatchObject(unavailable);
      const append = async () => storage.events.append([{ ...next!, sequence: 2, previousHash: next!.hash }]);
      await expect(append()).rejects.toMatchObject(unavailable);
    });

    test('what was begun before is finished', async () => {
      const place = await places.create();
      const storage = await place.open();
      const saves = Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          storage.snapshots.save(exampleSnapshot('linear', { takenAt: index }), exampleDiff),
        ),
      );
      await Promise.all([saves, storage.close()]);
      const again = await place.open();
      expect(await again.snapshots.history(toConnectorId('linear'), 100)).toHaveLength(20);
    });
  });

  test('events and transactions of other stores do not get into each other', async () => {
    const storage = await (await places.create()).open();
    let head: { readonly sequence: number; readonly hash: string } = await storage.events.anchor();
    // At every step of a transaction that succeeds, and of one that is rolled back.
    for (let step = 0; step < 60; step++) {
      const takenAt = step % 2 === 0 ? step : Number.NaN;
      const saving = storage.snapshots.save(exampleSnapshot('linear', { takenAt }), exampleDiff);
      const saved = saving.then(
        () => 'saved',
        () => 'rolled back',
      );
      for (let turn = 0; turn < step; turn++) await Promise.resolve();
      const records = chainAfter(head, [started, started]);
      head = records.at(-1) ?? head;
      await storage.events.append(records);
      expect(await saved).toBe(step % 2 === 0 ? 'saved' : 'rolled back');
    }
    expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 120 });
    expect(await storage.snapshots.history(toConnectorId('linear'), 100)).toHaveLength(30);
  });
}

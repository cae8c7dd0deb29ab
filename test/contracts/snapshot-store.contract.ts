import { expect, test } from 'vitest';
import type { SnapshotStore } from '../../src/catalog/index.js';
import { toAgentId, toConnectorId } from '../../src/kernel/index.js';
import { parseJson, stringifyJson, type JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { exampleDiff, exampleSnapshot, HOSTILE_IDS, HOSTILE_TEXTS, LARGEST } from './examples.js';

const linear = toConnectorId('linear');

export function snapshotStoreContract(open: () => Promise<SnapshotStore>): void {
  test('a saved snapshot is found again, unchanged', async () => {
    const store = await open();
    const snapshot = exampleSnapshot('linear', { takenAt: LARGEST, listedAs: toAgentId('a') });
    await store.save(snapshot, exampleDiff);
    expect(await store.latest(linear)).toStrictEqual(snapshot);
    expect(await store.latestOfAll()).toStrictEqual([snapshot]);
    expect(await store.latest(toConnectorId('none'))).toBeUndefined();
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    for (const id of HOSTILE_IDS) {
      const { upstream, ...rest } = exampleSnapshot(id);
      const snapshot = {
        ...rest,
        upstream: {
          ...upstream,
          info: { name: HOSTILE_TEXTS.join(), version: id },
          instructions: HOSTILE_TEXTS.join(),
        },
        tools: HOSTILE_TEXTS.map((text) => ({
          name: text,
          description: text,
          inputSchema: { type: 'object', [text]: text },
          [text]: text,
        })),
        rejected: HOSTILE_TEXTS.map((text) => ({ kind: 'tool' as const, name: text, reason: text })),
      };
      const diff = { added: HOSTILE_TEXTS, removed: HOSTILE_TEXTS, changed: HOSTILE_TEXTS };
      await store.save(snapshot, diff);
      expect(await store.latest(snapshot.connectorId)).toStrictEqual(snapshot);
      expect((await store.history(snapshot.connectorId, 1))[0]?.diff).toStrictEqual(diff);
    }
    expect(await store.latestOfAll()).toHaveLength(HOSTILE_IDS.length);
  });

  test('numbers that a double cannot hold keep their digits', async () => {
    const store = await open();
    const inputSchema = parseJson(
      '{"type":"object","maximum":123456789012345678901234567890,"default":0.1000000000000000055}',
    ) as JsonObject;
    await store.save(exampleSnapshot('linear', { tools: [{ name: 'query', inputSchema }] }), exampleDiff);
    expect(stringifyJson((await store.latest(linear))?.tools[0]?.inputSchema)).toBe(
      stringifyJson(inputSchema),
    );
  });

  test('the newest snapshot stands for its connector, and the differences are remembered', async () => {
    const store = await open();
    for (let number = 1; number <= 5; number++) {
      await store.save(exampleSnapshot('linear', { takenAt: number }), {
        added: [`tool ${number}`],
        removed: [],
        changed: [],
      });
      await store.save(exampleSnapshot('other', { takenAt: 100 + number }), exampleDiff);
    }
    expect((await store.latest(linear))?.takenAt).toBe(5);
    expect((await store.latestOfAll()).map(({ connectorId, takenAt }) => [connectorId, takenAt])).toEqual([
      ['linear', 5],
      ['other', 105],
    ]);
    const history = await store.history(linear, 3);
    expect(history.map(({ takenAt }) => takenAt)).toEqual([5, 4, 3]);
    expect(history[0]).toStrictEqual({
      takenAt: 5,
      hash: exampleSnapshot('linear', { takenAt: 5 }).hash,
      diff: { added: ['tool 5'], removed: [], changed: [] },
    });
  });

  test('the memory of differences has a bound', async () => {
    const store = await open();
    for (let number = 1; number <= 203; number++)
      await store.save(exampleSnapshot('linear', { takenAt: number }), exampleDiff);
    const history = await store.history(linear, 1_000);
    expect(history).toHaveLength(200);
    expect(history.at(-1)?.takenAt).toBe(4);
  });

  test('snapshots saved at once are all remembered', async () => {
    const store = await open();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        store.save(exampleSnapshot('linear', { takenAt: index }), exampleDiff),
      ),
    );
    const history = await store.history(linear, 100);
    expect(history.map(({ takenAt }) => takenAt).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect((await store.latest(linear))?.takenAt).toBe(history[0]?.takenAt);
  });

  test('with a connector everything known of it goes', async () => {
    const store = await open();
    await store.save(exampleSnapshot('linear'), exampleDiff);
    await store.save(exampleSnapshot('other'), exampleDiff);
    await store.removeAllFor(linear);
    expect(await store.latest(linear)).toBeUndefined();
    expect(await store.history(linear, 10)).toEqual([]);
    expect(await store.latestOfAll()).toHaveLength(1);
  });
}

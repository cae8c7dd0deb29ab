import { expect, test } from 'vitest';
import type { DataKeyStore, SettingsStore } from '../../src/storage/index.js';
import { HOSTILE_IDS, HOSTILE_TEXTS } from './examples.js';

export function settingsStoreContract(open: () => Promise<SettingsStore>): void {
  test('B5.1: a saved setting is found again, whatever its name and text', async () => {
    const store = await open();
    for (const key of HOSTILE_IDS) {
      for (const value of HOSTILE_TEXTS) {
        await store.save(key, value);
        expect(await store.find(key)).toBe(value);
      }
      await store.remove(key);
      await store.remove(key);
      expect(await store.find(key)).toBeUndefined();
    }
  });

  test('of several first values one is kept, and everybody learns which', async () => {
    const store = await open();
    const kept = await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.saveOnce('hub.id', `by ${index}`)),
    );
    expect(new Set(kept).size).toBe(1);
    expect(await store.find('hub.id')).toBe(kept[0]);
    expect(await store.saveOnce('hub.id', 'late')).toBe(kept[0]);
  });

  test('what the store keeps for itself is out of reach', async () => {
    const store = await open();
    const refused = { code: 'invalid_request' };
    await expect(store.find('storage.events.anchor')).rejects.toMatchObject(refused);
    await expect(store.save('storage.events.anchor', 'x')).rejects.toMatchObject(refused);
    await expect(store.saveOnce('storage.events.anchor', 'x')).rejects.toMatchObject(refused);
    await expect(store.remove('storage.events.anchor')).rejects.toMatchObject(refused);
  });
}

export function dataKeyStoreContract(open: () => Promise<DataKeyStore>): void {
  test('a name has one random key, for everybody who asks', async () => {
    const store = await open();
    const keys = await Promise.all(Array.from({ length: 10 }, () => store.require('event arguments')));
    for (const key of keys) expect(key).toEqual(keys[0]);
    expect(keys[0]).toHaveLength(32);
    expect(await store.require('other')).not.toEqual(keys[0]);
  });
}

import { expect, test, vi } from 'vitest';
import type { InstanceStore } from '../../src/storage/index.js';

const HOUR = 3_600_000;

export function instanceStoreContract(open: () => Promise<InstanceStore>): void {
  test('an instance lives while it says so, and leaves', async () => {
    const store = await open();
    expect(await store.living(HOUR)).toEqual(new Set());
    await store.beat('a');
    await store.beat('b');
    await store.beat('a');
    expect(await store.living(HOUR)).toEqual(new Set(['a', 'b']));
    await store.leave('a');
    await store.leave('a');
    expect(await store.living(HOUR)).toEqual(new Set(['b']));
  });

  test('one that is silent counts as gone, and is forgotten', async () => {
    const store = await open();
    await store.beat('silent');
    await vi.waitFor(async () => expect(await store.living(5)).toEqual(new Set()));
    await store.beat('alive');
    expect(await store.living(HOUR)).toEqual(new Set(['silent', 'alive']));
    await store.forget(HOUR);
    expect(await store.living(HOUR)).toEqual(new Set(['silent', 'alive']));
    await vi.waitFor(async () => {
      await store.forget(5);
      expect(await store.living(HOUR)).toEqual(new Set());
    });
  });
}

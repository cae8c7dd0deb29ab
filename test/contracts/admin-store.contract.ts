import { expect, test } from 'vitest';
import type { AdminStore } from '../../src/agents/index.js';
import { exampleAdmin, HOSTILE_IDS, HOSTILE_TEXTS } from './examples.js';

export function adminStoreContract(open: () => Promise<AdminStore>): void {
  test('an account is found by its id and by the digest of its token', async () => {
    const store = await open();
    const account = exampleAdmin();
    await store.add(account);
    await store.add(exampleAdmin('bob', { role: 'viewer' }));
    expect(await store.find('ada')).toStrictEqual(account);
    expect(await store.findByTokenDigest(account.tokenDigest ?? '')).toStrictEqual(account);
    expect(await store.find('eve')).toBeUndefined();
    expect(await store.findByTokenDigest('eve')).toBeUndefined();
    expect((await store.list()).map(({ id }) => id)).toEqual(['ada', 'bob']);
  });

  test('several accounts may have no token', async () => {
    const store = await open();
    const accounts = ['a', 'b'].map((id) => exampleAdmin(id, { tokenDigest: undefined, last4: '' }));
    for (const account of accounts) await store.add(account);
    expect(await store.list()).toStrictEqual(accounts);
  });

  test('an id and a token exist once', async () => {
    const store = await open();
    await store.add(exampleAdmin());
    const conflict = { code: 'conflict' };
    await expect(store.add(exampleAdmin('ada', { tokenDigest: 'x' }))).rejects.toMatchObject(conflict);
    const { tokenDigest } = exampleAdmin();
    await expect(store.add(exampleAdmin('bob', { tokenDigest }))).rejects.toMatchObject(conflict);
    expect(await store.list()).toHaveLength(1);
  });

  test('an account goes once', async () => {
    const store = await open();
    await store.add(exampleAdmin());
    expect(await store.remove('ada')).toBe(true);
    expect(await store.remove('ada')).toBe(false);
    expect(await store.findByTokenDigest(exampleAdmin().tokenDigest ?? '')).toBeUndefined();
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    const accounts = [
      ...HOSTILE_IDS.map((id) => exampleAdmin(id)),
      ...HOSTILE_TEXTS.map((text, index) => exampleAdmin(`t${index}`, { name: text, last4: text })),
    ];
    for (const account of accounts) await store.add(account);
    for (const account of accounts) expect(await store.find(account.id)).toStrictEqual(account);
  });
}

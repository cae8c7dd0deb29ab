import { expect, test } from 'vitest';
import type { Credential, CredentialStore } from '../../src/credentials/index.js';
import { toAgentId, toConnectorId } from '../../src/kernel/index.js';
import { exampleCredential, ofAgent, reveal, shared } from './examples.js';

const linear = toConnectorId('linear');
const anna = ofAgent('anna');

function account(name: string, changes: Partial<Credential> = {}): Credential {
  return { ...exampleCredential('linear', anna, { t: name }), account: name, isDefault: false, ...changes };
}

/** Names of an owner's accounts, with a star at the default. */
async function shown(store: CredentialStore): Promise<readonly string[]> {
  const all = await store.list(linear);
  return all
    .filter(({ owner }) => owner.kind === 'agent')
    .map(({ account: name, isDefault }) => (isDefault ? `${name}*` : name));
}

/** Several accounts of one owner at one upstream. */
export function accountContract(open: () => Promise<CredentialStore>): void {
  test('the first account is the default, and another becomes it by being saved as such', async () => {
    const store = await open();
    await store.save(account('home'));
    await store.save(account('work'));
    expect(await shown(store)).toEqual(['home*', 'work']);
    await store.save(account('work', { isDefault: true }));
    expect(await shown(store)).toEqual(['home', 'work*']);
    await store.save(account('third', { isDefault: true }));
    expect(await shown(store)).toEqual(['home', 'third*', 'work']);
    // There is always one: the default cannot resign, only be replaced.
    await store.save(account('third', { isDefault: false }));
    expect(await shown(store)).toEqual(['home', 'third*', 'work']);
  });

  test('an account is found by its name, the default without one', async () => {
    const store = await open();
    await store.save(account('home'));
    await store.save(account('work'));
    expect(reveal(await store.find(linear, anna))).toMatchObject({ account: 'home', isDefault: true });
    expect(reveal(await store.find(linear, anna, 'work'))).toMatchObject({
      account: 'work',
      isDefault: false,
      values: { t: { secret: 'work' } },
    });
    expect(await store.find(linear, anna, 'none')).toBeUndefined();
    expect(await store.find(linear, shared, 'work')).toBeUndefined();
  });

  test('another is chosen, of this owner only, and no version changes by it', async () => {
    const store = await open();
    await store.save(exampleCredential('linear', shared, { t: 'x' }));
    await store.save(account('home'));
    await store.save(account('work'));
    expect(await store.choose(linear, anna, 'work')).toBe(true);
    expect(await store.choose(linear, anna, 'work')).toBe(true);
    expect(await store.choose(linear, anna, 'none')).toBe(false);
    expect(await store.choose(linear, shared, 'work')).toBe(false);
    expect(await shown(store)).toEqual(['home', 'work*']);
    expect(await store.find(linear, shared)).toMatchObject({ account: 'default', isDefault: true });
    expect(await store.find(linear, anna)).toMatchObject({ version: 1 });
  });

  test('a renewal does not undo a choice made since it read the account', async () => {
    const store = await open();
    await store.save(account('home'));
    await store.save(account('work'));
    const read = await store.find(linear, anna);
    await store.choose(linear, anna, 'work');
    await store.save({ ...account('home'), ...read, version: 2 }, 1);
    expect(await shown(store)).toEqual(['home', 'work*']);
    await store.save(account('work', { isDefault: false, version: 2 }), 1);
    expect(await shown(store)).toEqual(['home', 'work*']);
  });

  test('when the default goes, the account changed last takes its place', async () => {
    const store = await open();
    await store.save(account('a', { updatedAt: 1 }));
    await store.save(account('b', { updatedAt: 3 }));
    await store.save(account('c', { updatedAt: 2 }));
    expect(await store.remove(linear, anna, 'c')).toBe(true);
    expect(await store.remove(linear, anna, 'c')).toBe(false);
    await store.save(account('c', { updatedAt: 2 }));
    expect(await store.remove(linear, anna, 'a')).toBe(true);
    expect(await shown(store)).toEqual(['b*', 'c']);
    expect(await store.remove(linear, anna)).toBe(true);
    expect(await shown(store)).toEqual([]);
    await store.save(account('later'));
    expect(await shown(store)).toEqual(['later*']);
  });

  test('with its agent every account goes', async () => {
    const store = await open();
    await store.save(exampleCredential('linear', shared, { t: 'x' }));
    await store.save(exampleCredential('other', anna, { t: 'x' }));
    await store.save(account('home'));
    await store.save(account('work'));
    await store.removeAllOf(toAgentId('anna'));
    expect((await store.list()).map(({ owner }) => owner)).toEqual([shared]);
  });

  test('whatever happens at once, an owner with accounts has exactly one default', async () => {
    const store = await open();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => store.save(account(name, { isDefault: true }))));
    expect((await shown(store)).filter((name) => name.endsWith('*'))).toHaveLength(1);
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        ...names.map((name) => store.choose(linear, anna, name)),
        ...names.map((name) => store.save(account(name, { isDefault: true }))),
        store.remove(linear, anna, 'b'),
        store.remove(linear, anna, 'c'),
      ]);
      const after = await shown(store);
      expect(after.filter((name) => name.endsWith('*'))).toHaveLength(1);
      expect(await store.find(linear, anna)).toBeDefined();
    }
  });
}

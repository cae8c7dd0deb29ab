import { expect, test } from 'vitest';
import type { PolicyStore } from '../../src/governance/index.js';
import { toPolicyId } from '../../src/kernel/index.js';
import { examplePolicy, HOSTILE_IDS, HOSTILE_TEXTS, LARGEST } from './examples.js';

export function policyStoreContract(open: () => Promise<PolicyStore>): void {
  test('a saved policy is found again, unchanged', async () => {
    const store = await open();
    const policy = examplePolicy('p', { version: LARGEST, updatedAt: LARGEST });
    await store.add(policy);
    expect(await store.find(policy.id)).toStrictEqual(policy);
    expect(await store.list()).toStrictEqual([policy]);
    expect(await store.find(toPolicyId('none'))).toBeUndefined();
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    const policies = [
      ...HOSTILE_IDS.map((id) => examplePolicy(id)),
      ...HOSTILE_TEXTS.map((text, index) => examplePolicy(`t${index}`, { text })),
    ];
    for (const policy of policies) await store.add(policy);
    for (const policy of policies) expect(await store.find(policy.id)).toStrictEqual(policy);
  });

  test('a policy is added once and replaced only by who knows its version', async () => {
    const store = await open();
    await store.add(examplePolicy());
    await expect(store.add(examplePolicy())).rejects.toMatchObject({ code: 'conflict' });
    await store.replace(
      examplePolicy('starter', { text: 'forbid (principal, action, resource);', version: 2 }),
      1,
    );
    await expect(store.replace(examplePolicy('starter', { version: 2 }), 1)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(store.replace(examplePolicy('none'), 1)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.find(toPolicyId('starter'))).toMatchObject({
      text: 'forbid (principal, action, resource);',
      version: 2,
    });
    await store.remove(toPolicyId('starter'), { at: 9 });
    await store.remove(toPolicyId('starter'), { at: 9 });
    expect(await store.list()).toEqual([]);
  });

  test('what a policy said before is kept, by whom and when, also after its removal', async () => {
    const store = await open();
    const id = toPolicyId('p');
    await store.add(examplePolicy('p', { text: 'one', updatedAt: 1 }), 'ada');
    await store.replace(examplePolicy('p', { text: 'two', version: 2, updatedAt: 2 }), 1, 'bob');
    await expect(store.replace(examplePolicy('p', { version: 9 }), 1, 'eve')).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(store.add(examplePolicy('p', { version: 9 }), 'eve')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await store.removed()).toEqual([]);
    await store.remove(id, { at: 3, by: 'ada' });
    await store.remove(id, { at: 4, by: 'eve' });
    const removal = { policy: id, version: 3, at: 3, by: 'ada', text: undefined };
    const second = { policy: id, version: 2, at: 2, by: 'bob', text: 'two' };
    const first = { policy: id, version: 1, at: 1, by: 'ada', text: 'one' };
    expect(await store.versions(id, { limit: 10 })).toEqual([removal, second, first]);
    expect(await store.versions(id, { before: 3, limit: 1 })).toEqual([second]);
    expect(await store.findVersion(id, 1)).toEqual(first);
    expect(await store.findVersion(id, 7)).toBeUndefined();
    expect(await store.removed()).toEqual([removal]);
    await store.add(examplePolicy('p', { text: 'four', version: 4, updatedAt: 4 }));
    expect(await store.removed()).toEqual([]);
    expect(await store.findVersion(id, 4)).toMatchObject({ by: undefined, text: 'four' });
  });

  test('of one policy the 50 newest versions are kept', async () => {
    const store = await open();
    await store.add(examplePolicy('p'));
    for (let version = 2; version <= 53; version++)
      await store.replace(examplePolicy('p', { version }), version - 1);
    const kept = await store.versions(toPolicyId('p'), { limit: 100 });
    expect([kept.length, kept[0]?.version, kept.at(-1)?.version]).toEqual([50, 53, 4]);
  });
}

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
    await store.remove(toPolicyId('starter'));
    await store.remove(toPolicyId('starter'));
    expect(await store.list()).toEqual([]);
  });
}

import { expect, test } from 'vitest';
import type { CredentialStore } from '../../src/credentials/index.js';
import { toAgentId, toConnectorId } from '../../src/kernel/index.js';
import {
  exampleCredential,
  exampleGrant,
  HOSTILE_IDS,
  HOSTILE_TEXTS,
  ofAgent,
  reveal,
  shared,
} from './examples.js';

const linear = toConnectorId('linear');
const problem = (reason: string) => ({ state: 'failed', reason, since: 1 }) as const;

export function credentialStoreContract(open: () => Promise<CredentialStore>): void {
  test('a saved credential is found by its connector and owner only', async () => {
    const store = await open();
    const credential = exampleCredential('linear', ofAgent('a'), { token: 'abc', 'X-Key': 'def' });
    await store.save(credential);
    expect(reveal(await store.find(linear, ofAgent('a')))).toStrictEqual(reveal(credential));
    expect(await store.find(linear, ofAgent('b'))).toBeUndefined();
    expect(await store.find(linear, shared)).toBeUndefined();
    expect(await store.find(toConnectorId('other'), ofAgent('a'))).toBeUndefined();
  });

  test('an agent named like the shared owner is another owner', async () => {
    const store = await open();
    await store.save(exampleCredential('linear', shared, { token: 'of all' }));
    await store.save(exampleCredential('linear', ofAgent('shared'), { token: 'of one' }));
    expect(reveal((await store.find(linear, shared))?.values)).toEqual({ token: { secret: 'of all' } });
    expect(reveal((await store.find(linear, ofAgent('shared')))?.values)).toEqual({
      token: { secret: 'of one' },
    });
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    for (const id of HOSTILE_IDS) {
      for (const owner of [shared, ofAgent(id)]) {
        const credential = exampleCredential(
          id,
          owner,
          Object.fromEntries(HOSTILE_TEXTS.map((text) => [text, text])),
        );
        await store.save(credential);
        expect(reveal(await store.find(credential.connector, owner))).toStrictEqual(reveal(credential));
      }
    }
    expect(await store.list()).toHaveLength(2 * HOSTILE_IDS.length);
  });

  test('what is listed shows no value', async () => {
    const store = await open();
    await store.save(exampleCredential('linear', shared, { token: 'a-long-enough-value', pin: '1234' }, 3));
    await store.save(exampleCredential('other', ofAgent('a'), { token: 'another-long-value' }));
    const listed = await store.list(linear);
    expect(listed).toStrictEqual([
      {
        connector: linear,
        owner: shared,
        account: 'default',
        isDefault: true,
        grant: undefined,
        version: 3,
        updatedAt: expect.any(Number) as number,
        values: { token: { set: true, last4: 'alue' }, pin: { set: true, last4: '' } },
      },
    ]);
    expect(JSON.stringify(await store.list())).not.toContain('long');
    expect(await store.list()).toHaveLength(2);
  });

  test('B5.1: an account may have any name, and a grant any text', async () => {
    const store = await open();
    for (const account of HOSTILE_IDS) {
      const credential = {
        ...exampleCredential('linear', shared, { t: account }),
        account,
        isDefault: false,
      };
      await store.save(credential);
      expect(await store.find(linear, shared, account)).toMatchObject({ account });
    }
    expect(await store.list()).toHaveLength(HOSTILE_IDS.length);
    for (const text of HOSTILE_TEXTS) {
      const grant = { ...exampleGrant, clientId: text, scopes: [text], problem: problem(text) };
      const credential = { ...exampleCredential('oauth', shared, { access_token: 'x' }), grant };
      await store.save(credential);
      expect(reveal(await store.find(credential.connector, shared))).toStrictEqual(reveal(credential));
    }
    const bare = { ...exampleCredential('oauth', shared, { access_token: 'x' }), grant: exampleGrant };
    await store.save(bare);
    expect(reveal(await store.find(bare.connector, shared))).toStrictEqual(reveal(bare));
  });

  test('saving replaces', async () => {
    const store = await open();
    await store.save(exampleCredential('linear', shared, { token: 'one', more: 'x' }));
    await store.save(exampleCredential('linear', shared, { token: 'two' }, 2));
    const found = await store.find(linear, shared);
    expect(found?.version).toBe(2);
    expect(reveal(found?.values)).toEqual({ token: { secret: 'two' } });
  });

  test('whoever names a version replaces only that', async () => {
    const store = await open();
    await expect(store.save(exampleCredential('linear', shared, { t: 'x' }, 2), 1)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await store.save(exampleCredential('linear', shared, { t: 'first' }), 0);
    await expect(store.save(exampleCredential('linear', shared, { t: 'x' }), 0)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    const refreshes = Array.from({ length: 6 }, (_, index) =>
      store.save(exampleCredential('linear', shared, { t: `refresh ${index}` }, 2), 1),
    );
    expect((await Promise.allSettled(refreshes)).filter(({ status }) => status === 'fulfilled')).toHaveLength(
      1,
    );
    expect(await store.find(linear, shared)).toMatchObject({ version: 2 });
  });

  test('credentials go one by one, with their agent, or with their connector', async () => {
    const store = await open();
    const all = [
      ['linear', shared],
      ['linear', ofAgent('a')],
      ['linear', ofAgent('b')],
      ['other', ofAgent('a')],
      ['other', ofAgent('b')],
    ] as const;
    for (const [connector, owner] of all) await store.save(exampleCredential(connector, owner, { t: 'x' }));
    const left = async () =>
      (await store.list()).map(
        ({ connector, owner }) => `${connector}/${owner.kind === 'agent' ? owner.agent : 'shared'}`,
      );

    expect(await store.remove(linear, ofAgent('b'))).toBe(true);
    expect(await store.remove(linear, ofAgent('b'))).toBe(false);
    expect(await left()).toEqual(['linear/a', 'linear/shared', 'other/a', 'other/b']);
    await store.removeAllOf(toAgentId('a'));
    expect(await left()).toEqual(['linear/shared', 'other/b']);
    await store.removeAllFor(linear);
    expect(await left()).toEqual(['other/b']);
  });
}

import { expect, test } from 'vitest';
import type { OAuthClient, OAuthClientStore } from '../../src/credentials/index.js';
import { Secret, toConnectorId } from '../../src/kernel/index.js';
import { exampleOAuthClient, HOSTILE_IDS, HOSTILE_TEXTS, reveal } from './examples.js';

export function oauthClientStoreContract(open: () => Promise<OAuthClientStore>): void {
  const found = ({ connector, issuer, redirectUri }: OAuthClient, store: OAuthClientStore) =>
    store.find(connector, issuer, redirectUri);

  test('a client counts for its connector, issuer and redirect address only', async () => {
    const store = await open();
    const client = exampleOAuthClient();
    await store.save(client);
    expect(reveal(await found(client, store))).toStrictEqual(reveal(client));
    for (const other of [
      { connector: toConnectorId('other') },
      { issuer: 'https://as.example/' },
      { redirectUri: 'https://hub.example/oauth/callback?' },
    ])
      expect(await found({ ...client, ...other }, store)).toBeUndefined();
  });

  test('saving replaces; a client without a secret has none', async () => {
    const store = await open();
    await store.save(exampleOAuthClient());
    const plain = exampleOAuthClient('linear', {
      clientId: 'client-2',
      clientSecret: undefined,
      authMethod: 'none',
      expiresAt: undefined,
    });
    await store.save(plain);
    expect(await found(plain, store)).toStrictEqual(plain);
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    for (const id of HOSTILE_IDS)
      for (const text of HOSTILE_TEXTS) {
        const client = exampleOAuthClient(id, {
          issuer: id,
          redirectUri: id,
          clientId: text,
          clientSecret: new Secret(text),
        });
        await store.save(client);
        expect(reveal(await found(client, store))).toStrictEqual(reveal(client));
      }
  });

  test('clients go one by one or with their connector', async () => {
    const store = await open();
    const clients = [
      exampleOAuthClient('a'),
      exampleOAuthClient('a', { issuer: 'https://other.example' }),
      exampleOAuthClient('b'),
    ] as const;
    for (const client of clients) await store.save(client);
    await store.remove(clients[0].connector, clients[0].issuer, clients[0].redirectUri);
    expect(await found(clients[0], store)).toBeUndefined();
    expect(await found(clients[1], store)).toBeDefined();
    await store.removeAllFor(toConnectorId('a'));
    expect(await found(clients[1], store)).toBeUndefined();
    expect(await found(clients[2], store)).toBeDefined();
  });
}

import type { OAuthClient, OAuthClientStore } from '../../../src/credentials/index.js';

/** Registered clients for the length of a test. */
export function createMemoryClients(): OAuthClientStore & { readonly all: () => readonly OAuthClient[] } {
  const clients = new Map<string, OAuthClient>();
  const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
  return {
    all: () => [...clients.values()],
    find: async (connector, issuer, redirectUri) => clients.get(keyOf(connector, issuer, redirectUri)),
    save: async (client) => {
      clients.set(keyOf(client.connector, client.issuer, client.redirectUri), client);
    },
    remove: async (connector, issuer, redirectUri) => {
      clients.delete(keyOf(connector, issuer, redirectUri));
    },
    removeAllFor: async (connector) => {
      for (const [key, client] of clients) if (client.connector === connector) clients.delete(key);
    },
  };
}

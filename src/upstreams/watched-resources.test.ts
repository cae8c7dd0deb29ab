import { expect, test } from 'vitest';
import { ClientError, type ChangeSubscription, type McpClient } from '../mcp/client/index.js';
import { NotWatchable, WatchedResources } from './watched-resources.js';

const WATCHER = { updated() {}, lost() {} };

function subscriptionTo(uris: readonly string[]): ChangeSubscription {
  const honoured = uris.length === 0 ? {} : { resourceSubscriptions: uris };
  return { honoured, ended: undefined, close() {}, [Symbol.dispose]() {} };
}

/** Of a client only this is used. */
function clientWith(subscribe: McpClient['subscribe']): McpClient {
  const client: Partial<McpClient> = { subscribe };
  return client as McpClient;
}

test('what the upstream does not honour cannot be watched', async () => {
  const watched = new WatchedResources(clientWith(async () => subscriptionTo([])));
  await expect(watched.join('note://1', WATCHER)).rejects.toThrow(NotWatchable);
});

test('a conversation that ends meanwhile says nothing about the resource: it is tried in another', async () => {
  const early = new WatchedResources(clientWith(async () => subscriptionTo(['note://1'])));
  const waiting = early.join('note://1', WATCHER);
  early.end();
  await expect(waiting).rejects.toThrow(ClientError);

  const late: WatchedResources = new WatchedResources(
    clientWith(async () => {
      late.end();
      return subscriptionTo(['note://1']);
    }),
  );
  await expect(late.join('note://1', WATCHER)).rejects.toThrow(ClientError);
});

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

test('whoever is no longer told of is let go, to see whether that can be mended; the others stay', async () => {
  const uris = ['note://1', 'note://2'];
  let refused = new Set<string>();
  let isOver = false;
  const client: Partial<McpClient> = {
    ping: async () => {},
    subscribe: async ({ resourceSubscriptions = [] }) => ({
      ...subscriptionTo([]),
      get honoured() {
        return { resourceSubscriptions: resourceSubscriptions.filter((uri) => !refused.has(uri)) };
      },
      get ended() {
        return isOver ? new Error('refused for good') : undefined;
      },
    }),
  };
  const watched = new WatchedResources(client as McpClient);
  const lost: string[] = [];
  const join = async (uri: string) => {
    await watched.join(uri, { updated() {}, lost: () => void lost.push(uri) });
    // While it still works nobody is let go.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.all(uris.map(join));

  watched.check();
  expect(lost).toEqual([]);
  refused = new Set(['note://2']);
  watched.check();
  expect([lost, watched.isIdle]).toEqual([['note://2'], false]);
  isOver = true;
  watched.check();
  expect([lost, watched.isIdle]).toEqual([['note://2', 'note://1'], true]);

  isOver = false;
  await join('note://1');
  watched.check();
  expect(lost).toHaveLength(2);
});

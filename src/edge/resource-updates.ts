import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { ListenRequest, Subscription } from '../mcp/server/index.js';
import type { WatchResource } from '../operations/index.js';
import { askProfileOf } from '../upstreams/index.js';

export interface WatchedUris {
  /** As it is now. */
  readonly agentOf: () => Agent;
  readonly scope: SurfaceScope;
  readonly uris: readonly string[];
  readonly request: Pick<ListenRequest, 'emit' | 'session' | 'capabilities'>;
}

/** Watches single resources for one listening client; those that cannot be are not among the honoured. */
export async function watchResources(
  watchResource: WatchResource,
  { agentOf, scope, uris, request }: WatchedUris,
): Promise<Subscription> {
  const { session, capabilities = {} } = request;
  const conversation = { session, asks: askProfileOf(capabilities) };
  const watches = await Promise.all(
    uris.map(async (uri) => {
      const onUpdated = (changed: string): void =>
        request.emit({ method: 'notifications/resources/updated', params: { uri: changed } });
      const watch = await watchResource({ agentOf, scope, conversation, uri, onUpdated }).catch(
        () => undefined,
      );
      return watch === undefined ? [] : [{ uri, watch }];
    }),
  );
  const open = watches.flat();
  return {
    honoured: open.length === 0 ? {} : { resourceSubscriptions: open.map(({ uri }) => uri) },
    close() {
      for (const { watch } of open) watch.close();
    },
  };
}

/** Several subscriptions as one. */
export function together(...parts: readonly Subscription[]): Subscription {
  return {
    honoured: Object.assign({}, ...parts.map(({ honoured }) => honoured)) as Subscription['honoured'],
    close() {
      for (const part of parts) part.close();
    },
  };
}

import type { EventQuery } from '../../governance/index.js';
import { HubError } from '../../kernel/index.js';
import type { AdminDependencies, StreamLimits } from './dependencies.js';
import type { AdminRequest } from './register.js';
import { EventFeed } from './event-feed.js';

export interface EventStreams {
  /** Events that match, after a sequence or from now on, as server-sent events. Throws `overloaded` when too many are open. */
  open(
    filter: Omit<EventQuery, 'limit' | 'order'>,
    after: number | undefined,
    reader: Pick<AdminRequest<string, unknown, unknown>, 'signal' | 'mayGoOn'>,
  ): Promise<ReadableStream<Uint8Array>>;
}

const LIMITS: Required<Omit<StreamLimits, 'lookMs'>> = {
  maxStreams: 64,
  keepAliveMs: 15_000,
  stallMs: 60_000,
};

export function createEventStreams(
  deps: Pick<AdminDependencies, 'events' | 'eventStore' | 'streams' | 'shutdown' | 'logger'>,
): EventStreams {
  const limits = { ...LIMITS, ...deps.streams };
  const feeds = new Set<EventFeed>();

  return {
    async open(filter, after, { signal, mayGoOn }) {
      if (deps.shutdown?.aborted === true) throw new HubError('shutting_down', 'the hub is shutting down');
      if (feeds.size >= limits.maxStreams)
        throw new HubError('overloaded', `${limits.maxStreams} event streams are open`, {
          retryAfterMs: 5_000,
        });
      const feed = new EventFeed({
        ...deps,
        ...limits,
        filter,
        mayRead: mayGoOn,
        onClose: () => feeds.delete(feed),
      });
      feeds.add(feed);
      try {
        await feed.start(after);
      } catch (error) {
        feed.close();
        throw error;
      }
      const close = () => feed.close();
      signal.addEventListener('abort', close, { once: true });
      deps.shutdown?.addEventListener('abort', close, { once: true });
      feed.onClosed(() => {
        signal.removeEventListener('abort', close);
        deps.shutdown?.removeEventListener('abort', close);
      });
      // Who left meanwhile is not told of again.
      if ([signal, deps.shutdown].some((each) => each?.aborted)) close();
      return feed.readable;
    },
  };
}

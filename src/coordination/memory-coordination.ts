import type { Coordination } from '../kernel/index.js';
import { closing, LocalLocks } from './local-locks.js';
import { LocalFeed } from './local-feed.js';

/** For one process. Its locks need no lease: they end with it. */
export function createMemoryCoordination(): Coordination {
  const locks = new LocalLocks();
  const feed = new LocalFeed();
  const lost = new AbortController();
  let closed = false;
  return {
    kind: 'memory',
    locks: {
      async acquire(name, options) {
        const release = await locks.acquire(name, options);
        return release === undefined ? undefined : { lost: lost.signal, release: async () => release() };
      },
    },
    feed: {
      publish(topic, message) {
        // As with a real feed, the publisher goes on before anyone hears it.
        if (!closed) queueMicrotask(() => feed.deliver(topic, message));
      },
      subscribe: (topic, listener) => feed.subscribe(topic, listener),
    },
    get available() {
      return !closed;
    },
    async check() {
      if (closed) throw closing();
    },
    async close() {
      closed = true;
      locks.close();
      feed.close();
      lost.abort();
    },
  };
}

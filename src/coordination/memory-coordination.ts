import { systemClock, type Clock, type Coordination } from '../kernel/index.js';
import { LocalFeed } from './local-feed.js';
import { closing, LocalLocks } from './local-locks.js';
import { LocalStore } from './local-store.js';
import { createSelfName } from './self-name.js';

/** For one process. Its locks need no lease: they end with it. */
export function createMemoryCoordination(clock: Clock = systemClock): Coordination {
  const self = createSelfName();
  const locks = new LocalLocks();
  const feed = new LocalFeed();
  const store = new LocalStore(clock);
  const lost = new AbortController();
  let closed = false;
  const publish = (topic: string, message: string): void => {
    // As with a real feed, the publisher goes on before anyone hears it.
    if (!closed) queueMicrotask(() => feed.deliver(topic, message));
  };
  return {
    kind: 'memory',
    self,
    locks: {
      async acquire(name, options) {
        const release = await locks.acquire(name, options);
        return release === undefined ? undefined : { lost: lost.signal, release: async () => release() };
      },
    },
    feed: {
      publish,
      async reach(topic, message) {
        publish(topic, message);
        return closed ? 0 : 1;
      },
      async send(to, topic, message) {
        if (to === self) publish(topic, message);
        return to === self && !closed;
      },
      subscribe: (topic, listener) => feed.subscribe(topic, listener),
    },
    store,
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
      store.close();
      lost.abort();
    },
  };
}

import { afterEach } from 'vitest';
import type { JsonObject } from '../../../src/mcp/jsonrpc/index.js';
import { MemoryEventStore } from '../../../src/mcp/server/legacy/memory-event-store.js';
import { MemorySessionStore } from '../../../src/mcp/server/legacy/memory-session-store.js';
import type { PeerListener, SessionPeers } from '../../../src/mcp/server/legacy/session-peers.js';
import type { SessionRecord, SessionStore } from '../../../src/mcp/server/legacy/session-store.js';
import { Harness, type HarnessOptions } from './harness.js';

/** Two processes that serve the same sessions; what passes between them is data, and takes a moment. */
class Place {
  readonly events = new MemoryEventStore();
  readonly #memory = new MemorySessionStore();
  readonly #changed: ((record: SessionRecord) => void)[] = [];
  readonly #expired: Parameters<NonNullable<SessionStore['onExpired']>>[0][] = [];
  readonly #listeners = new Map<string, PeerListener>();
  readonly told: JsonObject[] = [];
  trouble: Error | undefined;
  /** Whether messages between processes are lost, and how many questions were. */
  isCut = false;
  unheard = 0;

  sessions(): SessionStore {
    const reach = async <T>(act: () => T): Promise<T> => {
      if (this.trouble !== undefined) throw this.trouble;
      return act();
    };
    return {
      add: (record) => reach(() => this.#memory.add(structuredClone(record))),
      find: (principal, id) => reach(() => structuredClone(this.#memory.find(principal, id))),
      update: (record, changes = record) =>
        reach(() => {
          const kept = this.#memory.find(record.principal, record.id);
          if (kept === undefined) return;
          const merged = { ...kept, ...changes };
          this.#memory.update(merged);
          for (const listener of this.#changed) listener(structuredClone(merged));
        }),
      remove: (principal, id) =>
        reach(() => {
          this.#memory.remove(principal, id);
          for (const listener of this.#expired) listener(principal, id, 'deleted');
        }),
      onChanged: (listener) => void this.#changed.push(listener),
      onExpired: (listener) => void this.#expired.push(listener),
    };
  }

  peers(self: string): SessionPeers {
    return {
      self,
      tell: (to, key, message) => {
        if (this.isCut) return;
        this.told.push(structuredClone(message));
        for (const [name, listener] of this.#listeners)
          if (to === name || (to === undefined && name !== self))
            queueMicrotask(() => listener.told(self, key, structuredClone(message)));
      },
      ask: async (to, key, message) => {
        if (this.isCut) this.unheard++;
        const listener = this.isCut ? undefined : this.#listeners.get(to);
        return structuredClone(await listener?.asked(self, key, structuredClone(message)));
      },
      isGone: async (name) => this.isCut || !this.#listeners.has(name),
      listen: (listener) => void this.#listeners.set(self, listener),
    };
  }

  /** As if its process were killed. */
  lose(self: string): void {
    this.#listeners.delete(self);
  }

  open(self: string, options: HarnessOptions = {}): Harness {
    return new Harness({
      sessions: this.sessions(),
      events: this.events,
      peers: this.peers(self),
      ...options,
    });
  }
}

interface Pair {
  readonly place: Place;
  readonly one: Harness;
  readonly two: Harness;
}

/** How to open two processes, `aaaa` and `bbbb`, that are closed after the test. */
export function useProcesses(): (options?: HarnessOptions) => Pair {
  const open: Harness[] = [];
  afterEach(async () => {
    for (const harness of open.splice(0)) await harness.server.close();
  });
  return (options = {}) => {
    const place = new Place();
    const [one, two] = [place.open('aaaa', options), place.open('bbbb', options)];
    open.push(one, two);
    return { place, one, two };
  };
}

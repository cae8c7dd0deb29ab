import type { Connector } from '../connectors/index.js';
import { randomToken, type Lock } from '../kernel/index.js';
import type { Hub } from './compose.js';
import { ifReachable } from './if-reachable.js';
import { sharedNameOf } from './shared-name-of.js';

const LOCK = { leaseMs: 30_000, waitMs: 120_000 };
const MARK_MS = 86_400_000;

/** Why it is time for one: by itself, or because the upstream said that something changed. */
export type SyncReason =
  | { readonly kind: 'routine' }
  | { readonly kind: 'changed'; readonly seen: string | undefined };

/** Scheduled syncs, of which all replicas together make one. What is asked for by name is always done. */
export class SingleSync {
  readonly #hub: Hub;
  readonly #connector: Connector;
  readonly #mark: string;
  readonly #fresh: string;

  constructor(hub: Hub, connector: Connector) {
    this.#hub = hub;
    this.#connector = connector;
    const name = sharedNameOf(connector);
    this.#mark = `sync:${name}`;
    this.#fresh = `synced:${name}`;
  }

  /** Which sync began last. One that began before an upstream told of a change may have missed it. */
  async seen(): Promise<string | undefined> {
    return this.#hub.shared?.store.get(this.#mark).catch(() => undefined);
  }

  /** Makes it, unless another replica has. Throws what it throws. `freshMs`: how long nobody makes another by itself. */
  async run(reason: SyncReason, freshMs: number): Promise<void> {
    const { shared, syncConnector } = this.#hub;
    const sync = (): Promise<unknown> =>
      syncConnector({ connector: this.#connector.id, actor: { kind: 'hub' } });
    if (shared === undefined) {
      await sync();
      return;
    }
    const lock = await this.#acquire();
    try {
      if (await this.#isDone(reason)) return;
      await ifReachable(() => shared.store.set(this.#mark, randomToken(9), MARK_MS));
      try {
        await sync();
      } catch (error) {
        await ifReachable(() => shared.store.delete(this.#mark));
        throw error;
      }
      await ifReachable(() => shared.store.set(this.#fresh, '', freshMs));
    } finally {
      await lock?.release();
    }
  }

  async #isDone(reason: SyncReason): Promise<boolean> {
    const { shared, storage } = this.#hub;
    const key = reason.kind === 'routine' ? this.#fresh : this.#mark;
    const found = await ifReachable(() => shared?.store.get(key) ?? Promise.resolve(undefined));
    if (found === undefined || (reason.kind === 'changed' && found === reason.seen)) return false;
    // It may have been removed and added again meanwhile.
    return (await storage.snapshots.latest(this.#connector.id)) !== undefined;
  }

  /** Without the lock where there is none: twice is better than never. */
  #acquire(): Promise<Lock | undefined> {
    return ifReachable(() => this.#hub.coordination.locks.acquire(`sync:${this.#connector.id}`, LOCK));
  }
}

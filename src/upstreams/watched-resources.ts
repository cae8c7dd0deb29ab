import { ClientError, type ChangeSubscription, type McpClient } from '../mcp/client/index.js';
import { isPartOfResource, type ChangeNotification } from '../mcp/model/index.js';

/** Somebody who wants to hear of one resource. */
export interface ResourceWatcher {
  /** It is different now, or something below it is. */
  updated(uri: string): void;
  /** The conversation is over, and nothing more will be heard in it. */
  lost(): void;
}

interface Joining {
  readonly uri: string;
  readonly watcher: ResourceWatcher;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The upstream does not tell of this resource. */
export class NotWatchable extends Error {
  override readonly name = 'NotWatchable';
}

/**
 * The resources that are watched in one conversation: one subscription for all of them, whoever wants to hear. It grows
 * and shrinks by a new one that takes the place of the old, so that nothing is missed in between.
 */
export class WatchedResources {
  readonly #client: McpClient;
  readonly #watchers = new Map<string, Set<ResourceWatcher>>();
  #joining: Joining[] = [];
  #subscription: ChangeSubscription | undefined;
  #isWorking = false;
  #stale = false;
  #over = false;

  constructor(client: McpClient) {
    this.#client = client;
  }

  /** Whether anybody is there or on the way. */
  get isIdle(): boolean {
    return this.#watchers.size === 0 && this.#joining.length === 0;
  }

  /** Resolves when the upstream has agreed to tell of it. Until `leave` the watcher hears of it. */
  join(uri: string, watcher: ResourceWatcher): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#joining.push({ uri, watcher, resolve, reject });
      this.#work();
    });
  }

  leave(uri: string, watcher: ResourceWatcher): void {
    const watchers = this.#watchers.get(uri);
    if (watchers?.delete(watcher) !== true || watchers.size > 0) return;
    this.#watchers.delete(uri);
    this.#stale = true;
    this.#work();
  }

  /** Asks for a sign of life, so that a conversation that broke unnoticed is mended. */
  check(): void {
    if (!this.#isWorking) this.#letGo();
    this.#client.ping().catch(() => {
      // Whoever is lost is found again by the next check, or told when the conversation ends.
    });
  }

  /** The conversation is over. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    const watchers = [...this.#watchers.values()].flatMap((set) => [...set]);
    this.#watchers.clear();
    this.#subscription?.close();
    for (const { reject } of this.#joining.splice(0)) reject(conversationEnded());
    for (const watcher of watchers) watcher.lost();
  }

  /** After an interruption the upstream may agree to less than before, or to nothing. Who is concerned sees what can be done. */
  #letGo(): void {
    const { ended, honoured } = this.#subscription ?? { honoured: {} };
    const told = new Set(ended === undefined ? honoured.resourceSubscriptions : []);
    if (ended !== undefined) this.#subscription = undefined;
    for (const [uri, watchers] of this.#watchers) {
      if (told.has(uri)) continue;
      this.#watchers.delete(uri);
      for (const watcher of watchers) watcher.lost();
    }
  }

  #work(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    void this.#settle().finally(() => {
      this.#isWorking = false;
      if (!this.#over && (this.#joining.length > 0 || this.#stale)) this.#work();
    });
  }

  async #settle(): Promise<void> {
    // Those who come together are served together.
    await new Promise((resolve) => setImmediate(resolve));
    const joining = this.#joining.splice(0);
    this.#stale = false;
    const isNew = ({ uri }: Joining): boolean => !this.#watchers.has(uri);
    for (const known of joining.filter((one) => !isNew(one))) this.#admit(known);
    const fresh = joining.filter(isNew);
    if (await this.#replace(fresh)) return;
    // One of them may be the reason for all.
    for (const one of fresh) await this.#replace([one], true);
  }

  /** Subscribes to what is watched and to these. False when that failed and nothing was decided about them. */
  async #replace(fresh: readonly Joining[], isLast = fresh.length === 1): Promise<boolean> {
    const uris = [...new Set([...this.#watchers.keys(), ...fresh.map(({ uri }) => uri)])];
    const before = this.#subscription;
    try {
      this.#subscription =
        uris.length === 0
          ? undefined
          : await this.#client.subscribe({ resourceSubscriptions: uris }, (change) => this.#tell(change));
    } catch (error) {
      if (isLast) for (const { reject } of fresh) reject(error);
      return isLast || fresh.length === 0;
    }
    before?.close();
    if (this.#over) this.#subscription?.close();
    const honoured = new Set(this.#subscription?.honoured.resourceSubscriptions);
    for (const one of fresh) {
      if (this.#over) one.reject(conversationEnded());
      else if (honoured.has(one.uri)) this.#admit(one);
      else one.reject(new NotWatchable('the upstream does not tell of it'));
    }
    return true;
  }

  #admit({ uri, watcher, resolve }: Joining): void {
    const watchers = this.#watchers.get(uri) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(uri, watchers);
    resolve();
  }

  /** What changed may lie below what is watched. */
  #tell({ method, params }: ChangeNotification): void {
    const uri = params?.['uri'];
    if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return;
    for (const [watched, watchers] of this.#watchers) {
      if (!isPartOfResource(watched, uri)) continue;
      for (const watcher of watchers) watcher.updated(uri);
    }
  }
}

/** That says nothing of the resource: in another conversation it may be told of. */
function conversationEnded(): ClientError {
  return new ClientError('closed', 'the conversation ended');
}

import { INVALID_PARAMS, ProtocolError, writeNotification } from '../../jsonrpc/index.js';
import type { ChangeNotification, ServerCapabilities, SubscriptionFilter } from '../../model/index.js';
import type { Core } from '../core.js';
import type { Subscription } from '../handler.js';
import { whenReady, type MaybePromise } from '../maybe-promise.js';

/** What one legacy client hears of changes: every advertised list, and the resources it subscribed to. */
export class ChangeDesk {
  readonly #core: Core;
  readonly #principal: string;
  readonly #capabilities: ServerCapabilities;
  readonly #tell: (text: string) => void;
  readonly #resources = new Map<string, Subscription | undefined>();
  #lists: Subscription | undefined;
  #opened = false;
  #closed = false;

  constructor(core: Core, principal: string, capabilities: ServerCapabilities, tell: (text: string) => void) {
    this.#core = core;
    this.#principal = principal;
    this.#capabilities = capabilities;
    this.#tell = tell;
  }

  /** What is subscribed to. */
  get uris(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** Begins to tell of changed lists. */
  open(): void {
    const { listen } = this.#core;
    const filter = this.#listFilter();
    if (this.#opened || this.#closed || listen === undefined || Object.keys(filter).length === 0) return;
    this.#opened = true;
    this.#subscribe(filter, (subscription) => {
      if (this.#opened) this.#lists = subscription;
      else subscription.close();
    });
  }

  /** Goes on with what another process told of. What cannot be subscribed to any more is left out. */
  async restore(uris: readonly string[]): Promise<void> {
    const failed = (error: unknown): void => {
      if (!(error instanceof ProtocolError))
        this.#core.observe({ type: 'port_failed', port: 'listen', error });
    };
    const subscribe = async (uri: string): Promise<void> => this.subscribe(uri);
    await Promise.all(uris.map((uri) => subscribe(uri).catch(failed)));
  }

  /** Says of everything that it may be different: nobody knows what happened. */
  unknown(uris: readonly string[]): readonly string[] {
    const { toolsListChanged, promptsListChanged, resourcesListChanged } = this.#listFilter();
    return [
      ...(toolsListChanged === true ? [writeNotification('notifications/tools/list_changed')] : []),
      ...(promptsListChanged === true ? [writeNotification('notifications/prompts/list_changed')] : []),
      ...(resourcesListChanged === true ? [writeNotification('notifications/resources/list_changed')] : []),
      ...uris.map((uri) => writeNotification('notifications/resources/updated', { uri })),
    ];
  }

  /** Rejects, or throws, with a protocol error when the resource cannot be subscribed to. */
  subscribe(uri: string): MaybePromise<void> {
    const { listen, limits } = this.#core;
    if (listen === undefined || this.#closed || this.#resources.has(uri)) return;
    if (this.#resources.size >= limits.subscriptionsPerSession) {
      this.#core.observe({ type: 'limit_reached', limit: 'subscriptions' });
      throw new ProtocolError(INVALID_PARAMS, 'Too many subscriptions');
    }
    // Taken before the answer is there: a second request for the same resource changes nothing.
    this.#resources.set(uri, undefined);
    let subscription: MaybePromise<Subscription>;
    try {
      subscription = listen({
        principal: this.#principal,
        filter: { resourceSubscriptions: [uri] },
        emit: (notification) => this.#emit(notification),
      });
    } catch (error) {
      this.#resources.delete(uri);
      throw error;
    }
    return subscription instanceof Promise
      ? subscription.then(
          (opened) => this.#keep(uri, opened),
          (error: unknown) => {
            this.#resources.delete(uri);
            throw error;
          },
        )
      : this.#keep(uri, subscription);
  }

  unsubscribe(uri: string): void {
    const subscription = this.#resources.get(uri);
    this.#resources.delete(uri);
    subscription?.close();
  }

  /** Another process tells of everything from now on. */
  release(): void {
    this.#opened = false;
    this.#lists?.close();
    this.#lists = undefined;
    for (const subscription of this.#resources.values()) subscription?.close();
    this.#resources.clear();
  }

  close(): void {
    this.#closed = true;
    this.release();
  }

  #listFilter(): SubscriptionFilter {
    const { tools, prompts, resources } = this.#capabilities;
    return {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
    };
  }

  #keep(uri: string, subscription: Subscription): void {
    if (this.#closed || !this.#resources.has(uri)) {
      subscription.close();
      return;
    }
    if (subscription.honoured.resourceSubscriptions?.includes(uri) !== true) {
      this.#resources.delete(uri);
      subscription.close();
      throw new ProtocolError(INVALID_PARAMS, 'The resource cannot be subscribed to', { uri });
    }
    this.#resources.set(uri, subscription);
  }

  #subscribe(filter: SubscriptionFilter, opened: (subscription: Subscription) => void): void {
    const failed = (error: unknown): void =>
      this.#core.observe({ type: 'port_failed', port: 'listen', error });
    try {
      const emit = (notification: ChangeNotification): void => this.#emit(notification);
      const subscription = this.#core.listen?.({ principal: this.#principal, filter, emit });
      if (subscription === undefined) return;
      whenReady(subscription, (it) => (this.#closed ? it.close() : opened(it)), failed);
    } catch (error) {
      failed(error);
    }
  }

  #emit(notification: ChangeNotification): void {
    // Tasks of the extension do not exist in this era.
    if (this.#closed || notification.method === 'notifications/tasks') return;
    this.#tell(writeNotification(notification.method, notification.params));
  }
}

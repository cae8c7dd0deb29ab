import { INVALID_PARAMS, ProtocolError, writeNotification } from '../../jsonrpc/index.js';
import type { ChangeNotification, ServerCapabilities } from '../../model/index.js';
import type { Core } from '../core.js';
import type { Subscription } from '../handler.js';
import { whenReady, type MaybePromise } from '../maybe-promise.js';
import type { SessionRecord } from './session-store.js';

/** Of a resource that is subscribed to, or will be when the answer is there. */
interface Place {
  subscription: Subscription | undefined;
}

/** Whose changes they are. */
export interface Hearer {
  readonly id: string;
  readonly record: Pick<SessionRecord, 'principal' | 'client'>;
}

/** What one legacy client hears of changes: every advertised list, and the resources it subscribed to. */
export class ChangeDesk {
  readonly #core: Core;
  readonly #hearer: Hearer;
  readonly #capabilities: ServerCapabilities;
  readonly #tell: (text: string) => void;
  /** There from the first subscription on: most clients have none. */
  #resources: Map<string, Place> | undefined;
  #lists: Subscription | undefined;
  #opened = false;
  #closed = false;

  constructor(core: Core, hearer: Hearer, capabilities: ServerCapabilities, tell: (text: string) => void) {
    this.#core = core;
    this.#hearer = hearer;
    this.#capabilities = capabilities;
    this.#tell = tell;
  }

  /** What is subscribed to. */
  get uris(): readonly string[] {
    return [...(this.#resources?.keys() ?? [])];
  }

  /** Begins to tell of changed lists. */
  open(): void {
    const { listen } = this.#core;
    if (this.#opened || this.#closed || listen === undefined) return;
    const filter = this.#listFilter();
    if (!filter.toolsListChanged && !filter.promptsListChanged && !filter.resourcesListChanged) return;
    this.#opened = true;
    const failed = (error: unknown): void =>
      this.#core.observe({ type: 'port_failed', port: 'listen', error });
    try {
      const subscription = listen({ principal: this.#hearer.record.principal, filter, emit: this.#emit });
      whenReady(subscription, (it) => (this.#opened ? (this.#lists = it) : it.close()), failed);
    } catch (error) {
      failed(error);
    }
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
      ...(toolsListChanged ? [writeNotification('notifications/tools/list_changed')] : []),
      ...(promptsListChanged ? [writeNotification('notifications/prompts/list_changed')] : []),
      ...(resourcesListChanged ? [writeNotification('notifications/resources/list_changed')] : []),
      ...uris.map((uri) => writeNotification('notifications/resources/updated', { uri })),
    ];
  }

  /** Rejects, or throws, with a protocol error when the resource cannot be subscribed to. */
  subscribe(uri: string): MaybePromise<void> {
    const { listen, limits } = this.#core;
    const resources = (this.#resources ??= new Map<string, Place>());
    if (listen === undefined || this.#closed || resources.has(uri)) return;
    if (resources.size >= limits.subscriptionsPerSession) {
      this.#core.observe({ type: 'limit_reached', limit: 'subscriptions' });
      throw new ProtocolError(INVALID_PARAMS, 'Too many subscriptions');
    }
    // Taken before the answer is there: a second request for the same resource changes nothing.
    const place: Place = { subscription: undefined };
    resources.set(uri, place);
    let subscription: MaybePromise<Subscription>;
    try {
      const { id: session, record } = this.#hearer;
      subscription = listen({
        principal: record.principal,
        session,
        capabilities: record.client.capabilities,
        filter: { resourceSubscriptions: [uri] },
        emit: this.#emit,
      });
    } catch (error) {
      this.#leave(uri, place);
      throw error;
    }
    return subscription instanceof Promise
      ? subscription.then(
          (opened) => this.#keep(uri, place, opened),
          (error: unknown) => {
            this.#leave(uri, place);
            throw error;
          },
        )
      : this.#keep(uri, place, subscription);
  }

  unsubscribe(uri: string): void {
    const place = this.#resources?.get(uri);
    this.#resources?.delete(uri);
    place?.subscription?.close();
  }

  /** Another process tells of everything from now on. */
  release(): void {
    this.#opened = false;
    this.#lists?.close();
    this.#lists = undefined;
    for (const { subscription } of this.#resources?.values() ?? []) subscription?.close();
    this.#resources?.clear();
  }

  close(): void {
    this.#closed = true;
    this.release();
  }

  /** Written out: of copies with members that may be there V8 makes a shape for each session. */
  #listFilter() {
    const { tools, prompts, resources } = this.#capabilities;
    return {
      toolsListChanged: tools?.listChanged === true,
      promptsListChanged: prompts?.listChanged === true,
      resourcesListChanged: resources?.listChanged === true,
    };
  }

  #keep(uri: string, place: Place, subscription: Subscription): void {
    if (this.#closed || this.#resources?.get(uri) !== place) {
      subscription.close();
      return;
    }
    if (subscription.honoured.resourceSubscriptions?.includes(uri) !== true) {
      this.#leave(uri, place);
      subscription.close();
      throw new ProtocolError(INVALID_PARAMS, 'The resource cannot be subscribed to', { uri });
    }
    place.subscription = subscription;
  }

  /** Unless the client gave it up meanwhile, and perhaps took it anew. */
  #leave(uri: string, place: Place): void {
    if (this.#resources?.get(uri) === place) this.#resources?.delete(uri);
  }

  readonly #emit = (notification: ChangeNotification): void => {
    // Tasks of the extension do not exist in this era.
    if (this.#closed || notification.method === 'notifications/tasks') return;
    this.#tell(writeNotification(notification.method, notification.params));
  };
}

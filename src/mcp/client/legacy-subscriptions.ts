import type { ChangeNotification, ServerCapabilities, SubscriptionFilter } from '../model/index.js';
import { HARMLESS } from './call-plans.js';
import { everyChange, offeredPart, wants } from './change-filter.js';
import type { ChangeSubscription, OnChange } from './change-subscription.js';
import { toError } from './client-error.js';
import type { ClientWarning } from './options.js';
import type { Requester } from './requester.js';

interface Entry {
  readonly filter: SubscriptionFilter;
  readonly onChange: OnChange;
}

/**
 * Legacy servers tell of changed lists unasked and of resources by subscription. Several subscriptions to one resource
 * are one to the server.
 */
export class LegacySubscriptions {
  readonly #requester: Requester;
  readonly #warn: (warning: ClientWarning) => void;
  readonly #entries = new Set<Entry>();
  readonly #uses = new Map<string, number>();
  /** Resources whose unsubscription is not answered yet: what is sent later may arrive earlier over HTTP. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(requester: Requester, warn: (warning: ClientWarning) => void) {
    this.#requester = requester;
    this.#warn = warn;
  }

  async add(
    filter: SubscriptionFilter,
    onChange: OnChange,
    capabilities: ServerCapabilities,
    signal: AbortSignal | undefined,
  ): Promise<ChangeSubscription> {
    const entry: Entry = { filter: offeredPart(filter, capabilities, false), onChange };
    const uris = [...new Set(entry.filter.resourceSubscriptions)];
    this.#entries.add(entry);
    const taken: string[] = [];
    try {
      for (const uri of uris) {
        taken.push(uri);
        await this.#use(uri, signal);
      }
    } catch (error) {
      this.#remove(entry, taken);
      throw error;
    }
    let open = true;
    const close = (): void => {
      if (open) this.#remove(entry, uris);
      open = false;
    };
    return { honoured: entry.filter, ended: undefined, close, [Symbol.dispose]: close };
  }

  notified(change: ChangeNotification): void {
    for (const entry of this.#entries) if (wants(entry.filter, change)) this.#tell(entry, change);
  }

  /** A new session knows nothing of us, and we know nothing of what happened in between. */
  async renew(): Promise<void> {
    for (const uri of this.#uses.keys()) {
      await this.#requester.request('resources/subscribe', { uri }, HARMLESS, undefined).catch(() => {
        this.#warn({ code: 'refused_request', message: 'a resource could not be subscribed to again' });
      });
    }
    for (const entry of this.#entries)
      for (const change of everyChange(entry.filter)) this.#tell(entry, change);
  }

  close(): void {
    this.#entries.clear();
    this.#uses.clear();
  }

  async #use(uri: string, signal: AbortSignal | undefined): Promise<void> {
    const uses = this.#uses.get(uri) ?? 0;
    this.#uses.set(uri, uses + 1);
    if (uses > 0) return;
    await this.#leaving.get(uri);
    await this.#requester.request('resources/subscribe', { uri }, HARMLESS, signal && { signal });
  }

  #remove(entry: Entry, uris: readonly string[]): void {
    this.#entries.delete(entry);
    for (const uri of uris) {
      const uses = this.#uses.get(uri);
      if (uses === undefined) continue;
      if (uses > 1) {
        this.#uses.set(uri, uses - 1);
        continue;
      }
      this.#uses.delete(uri);
      this.#leave(uri);
    }
  }

  #leave(uri: string): void {
    const left = this.#requester
      .request('resources/unsubscribe', { uri }, HARMLESS, undefined)
      .catch(() => {
        // The server goes on telling of it; nobody listens.
      })
      .then(() => {
        if (this.#leaving.get(uri) === left) this.#leaving.delete(uri);
      });
    this.#leaving.set(uri, left);
  }

  #tell(entry: Entry, change: ChangeNotification): void {
    try {
      entry.onChange(change);
    } catch (error) {
      this.#warn({ code: 'hook_failed', message: `onChange threw ${toError(error).name}` });
    }
  }
}

import { writeNotification, writeResult, type ProtocolError, type RequestId } from '../../jsonrpc/index.js';
import type { ChangeNotification, Implementation, SubscriptionFilter } from '../../model/index.js';
import { META_SUBSCRIPTION_ID, withMeta, writeModernResult, type CacheHints } from '../../wire/index.js';
import type { Subscription } from '../handler.js';
import { includes } from './subscription-filter.js';

/** Where the messages of a listening client go: a stream of its own, or a channel it shares with others. */
export interface ListenOutlet {
  send(text: string): void;
  /** The last message. */
  end(text: string): void;
  /** Instead of everything else. */
  refuse(error: ProtocolError): void;
}

const MAX_EARLY = 100;

/** One listening client, from its request to its end. Says first what it will tell, and then nothing else. */
export class ListenCall {
  readonly #id: RequestId;
  readonly #outlet: ListenOutlet;
  readonly #info: Implementation;
  readonly #cache: CacheHints;
  #subscription: Subscription | undefined;
  #honoured: SubscriptionFilter | undefined;
  #early: ChangeNotification[] = [];
  #over = false;

  constructor(id: RequestId, outlet: ListenOutlet, info: Implementation, cache: CacheHints) {
    this.#id = id;
    this.#outlet = outlet;
    this.#info = info;
    this.#cache = cache;
  }

  get over(): boolean {
    return this.#over;
  }

  acknowledge(subscription: Subscription): void {
    if (this.#over) {
      subscription.close();
      return;
    }
    this.#subscription = subscription;
    this.#honoured = subscription.honoured;
    this.#send('notifications/subscriptions/acknowledged', { notifications: { ...this.#honoured } });
    for (const notification of this.#early.splice(0)) this.emit(notification);
  }

  emit(notification: ChangeNotification): void {
    if (this.#over) return;
    if (this.#honoured === undefined) {
      // Nothing may come before the acknowledgement.
      if (this.#early.length < MAX_EARLY) this.#early.push(notification);
    } else if (includes(this.#honoured, notification)) {
      this.#send(notification.method, notification.params);
    }
  }

  /** We end it: the client is told that this was on purpose. */
  complete(): void {
    if (this.#over) return;
    const result = { _meta: { [META_SUBSCRIPTION_ID]: this.#id } };
    const text = writeModernResult('subscriptions/listen', result, this.#info, this.#cache);
    this.close();
    this.#outlet.end(writeResult(this.#id, text));
  }

  /** The client ended it, or is gone. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#early = [];
    this.#subscription?.close();
  }

  #send(method: string, params: ChangeNotification['params']): void {
    this.#outlet.send(writeNotification(method, withMeta(params, { [META_SUBSCRIPTION_ID]: this.#id })));
  }
}

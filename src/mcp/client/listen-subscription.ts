import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
  type NotificationMessage,
} from '../jsonrpc/index.js';
import type { ChangeNotification, SubscriptionFilter } from '../model/index.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_REVISION } from '../wire/index.js';
import { Call, type StreamListener } from './call.js';
import { LISTEN } from './call-plans.js';
import { everyChange, readHonoured, toChange, wants } from './change-filter.js';
import type { ChangeSubscription, OnChange } from './change-subscription.js';
import { ClientError, toError } from './client-error.js';
import type { ClientWarning } from './options.js';
import type { Requester } from './requester.js';
import type { Settings } from './settings.js';

export interface ListenParts {
  readonly settings: Settings;
  readonly requester: Requester;
  readonly filter: SubscriptionFilter;
  readonly onChange: OnChange;
  readonly warn: (warning: ClientWarning) => void;
  readonly closed: (subscription: ListenSubscription) => void;
}

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
/** What says that the same request will not do later either. All else, such as that there are too many, may pass. */
const LASTING: ReadonlySet<number> = new Set([
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_REVISION,
]);

/** A `subscriptions/listen` request, sent again whenever its stream ends. */
export class ListenSubscription implements ChangeSubscription, StreamListener {
  readonly #parts: ListenParts;
  #honoured: SubscriptionFilter = {};
  #call: Call | undefined;
  /** Settles `open`. */
  #opening: { readonly done: () => void; readonly failed: (error: Error) => void } | undefined;
  #everHeard = false;
  #failures = 0;
  #ended: Error | undefined;
  #closed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: ListenParts) {
    this.#parts = parts;
  }

  get honoured(): SubscriptionFilter {
    return this.#honoured;
  }

  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Resolves when the server has acknowledged, rejects when the first attempt fails or it is closed before. */
  open(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#end(new ClientError('aborted', 'subscribing was aborted'));
      };
      const finish = (): void => {
        this.#opening = undefined;
        signal?.removeEventListener('abort', onAbort);
      };
      this.#opening = {
        done: () => {
          finish();
          resolve();
        },
        failed: (error) => {
          finish();
          reject(error);
        },
      };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort);
      this.#listen((error) => {
        if (this.#everHeard) this.#relisten(error);
        else this.#end(error);
      });
    });
  }

  close(): void {
    this.#end(new ClientError('closed', 'the subscription was closed'));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  notified(notification: NotificationMessage): void {
    if (this.#closed) return;
    if (notification.method === 'notifications/subscriptions/acknowledged') {
      this.#acknowledge(notification.params?.['notifications']);
      return;
    }
    const change = toChange(notification);
    if (change !== undefined && wants(this.#parts.filter, change)) this.#tell(change);
  }

  /** Whoever still waits for the acknowledgement is told why there will be none. */
  #end(reason: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer?.();
    if (this.#call !== undefined) this.#parts.requester.cancel(this.#call, reason);
    this.#parts.closed(this);
    this.#opening?.failed(reason);
  }

  #listen(failed: (error: Error) => void): void {
    const { requester, filter } = this.#parts;
    const params = { notifications: filter as unknown as JsonObject };
    const ended = (error: Error): void => {
      this.#call = undefined;
      if (!this.#closed) failed(error);
    };
    const call = new Call(
      'subscriptions/listen',
      params,
      LISTEN,
      undefined,
      requester,
      () => {
        ended(new ClientError('closed', 'the server ended the subscription'));
      },
      ended,
    );
    call.listener = this;
    this.#call = call;
    requester.start(call);
  }

  #acknowledge(told: JsonObject[string]): void {
    const call = this.#call;
    if (call === undefined) return;
    // From here on silence is the normal state.
    call.idleDeadline = call.totalDeadline = Number.POSITIVE_INFINITY;
    this.#failures = 0;
    this.#honoured = readHonoured(this.#parts.filter, isObject(told) ? told : {});
    this.#opening?.done();
    if (this.#everHeard) for (const change of everyChange(this.#honoured)) this.#tell(change);
    this.#everHeard = true;
  }

  #relisten(error: Error): void {
    const { clock, random } = this.#parts.settings;
    if (error instanceof ProtocolError && LASTING.has(error.code)) {
      this.#ended = error;
      this.close();
      return;
    }
    const delay = Math.min(FIRST_DELAY_MS * 1.5 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures++;
    const listenAgain = (): void => this.#listenAgain();
    this.#cancelTimer = clock.after(delay * (0.5 + random() / 2), listenAgain, true);
  }

  #listenAgain(): void {
    if (this.#closed) return;
    this.#listen((error) => {
      this.#relisten(error);
    });
  }

  #tell(change: ChangeNotification): void {
    try {
      this.#parts.onChange(change);
    } catch (error) {
      this.#parts.warn({ code: 'hook_failed', message: `onChange threw ${toError(error).name}` });
    }
  }
}

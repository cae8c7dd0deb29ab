import type { NotificationMessage } from '../jsonrpc/index.js';
import { isLogLevel, reachesLevel, type LogMessage } from '../model/index.js';
import { META_SUBSCRIPTION_ID, metaOf, withoutHopMeta } from '../wire/index.js';
import type { Call } from './call.js';
import { toChange } from './change-filter.js';
import { ClientError, toError } from './client-error.js';
import type { Connection } from './connection.js';
import type { LegacySubscriptions } from './legacy-subscriptions.js';
import type { ClientHooks, ClientWarning, OngoingCall } from './options.js';
import { mayAsk } from './server-requests.js';
import type { VisitedPages } from './visited-pages.js';

/** Brings what arrives unasked to whoever wants to hear of it. */
export class NotificationDesk {
  readonly #hooks: ClientHooks;
  readonly #subscriptions: LegacySubscriptions;
  readonly #pages: VisitedPages;

  constructor(hooks: ClientHooks, subscriptions: LegacySubscriptions, pages: VisitedPages) {
    this.#hooks = hooks;
    this.#pages = pages;
    this.#subscriptions = subscriptions;
  }

  receive(connection: Connection, notification: NotificationMessage, during: Call | undefined): void {
    const { onNotification } = this.#hooks;
    if (onNotification !== undefined) this.#run('onNotification', () => onNotification(notification, during));
    if (connection.era === 'modern' && this.#receiveOnStream(connection, notification, during)) return;
    if (notification.method === 'notifications/message') this.#receiveLog(connection, notification, during);
    else if (notification.method === 'notifications/elicitation/complete')
      this.#pages.heard(notification.params?.['elicitationId']);
    else this.#receiveChange(connection, notification);
  }

  warn(warning: ClientWarning): void {
    try {
      this.#hooks.onWarning?.(warning);
    } catch {
      // There is nobody left to tell.
    }
  }

  /** True when the notification was dealt with as part of a subscription. */
  #receiveOnStream(
    connection: Connection,
    { method, params }: NotificationMessage,
    during: Call | undefined,
  ): boolean {
    if (method === 'notifications/cancelled') {
      const ended = findCall(connection, params?.['requestId']);
      if (ended?.listener !== undefined) {
        connection.conversation.drop(ended, new ClientError('closed', 'the server ended the subscription'));
      }
      return true;
    }
    const id = metaOf(params)?.[META_SUBSCRIPTION_ID];
    const call = during ?? findCall(connection, id);
    if (call?.listener === undefined) return false;
    // Each message of a subscription names it; one that names another belongs to nobody here.
    if (id === undefined || id === call.id) call.listener.notified({ kind: 'notification', method, params });
    return toChange({ kind: 'notification', method, params }) === undefined;
  }

  #receiveChange(connection: Connection, notification: NotificationMessage): void {
    const change = toChange(notification);
    if (change === undefined) return;
    if (connection.era === 'legacy') this.#subscriptions.notified(change);
    const { onListChanged, onResourceUpdated } = this.#hooks;
    const list = LISTS.get(change.method);
    if (list !== undefined && onListChanged !== undefined)
      this.#run('onListChanged', () => onListChanged(list));
    const uri = change.params?.['uri'];
    if (
      change.method === 'notifications/resources/updated' &&
      typeof uri === 'string' &&
      onResourceUpdated !== undefined
    ) {
      this.#run('onResourceUpdated', () => onResourceUpdated(uri));
    }
  }

  #receiveLog(connection: Connection, { params }: NotificationMessage, during: Call | undefined): void {
    if (params === undefined) return;
    const { level, logger, data, ...others } = withoutHopMeta(params);
    if (!isLogLevel(level) || data === undefined) return;
    const message: LogMessage = { ...others, level, data, ...(typeof logger === 'string' && { logger }) };
    const call = during ?? onlyListener(connection);
    const { onLog: onCallLog, logLevel = 'debug' } = call?.options ?? {};
    if (onCallLog !== undefined && reachesLevel(level, logLevel))
      this.#run('onLog', () => onCallLog(message));
    const { onLog } = this.#hooks;
    if (onLog !== undefined) this.#run('onLog', () => onLog(message, during));
  }

  #run(name: string, hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.warn({ code: 'hook_failed', message: `${name} threw ${toError(error).name}` });
    }
  }
}

const LISTS = new Map<string, 'tools' | 'prompts' | 'resources'>([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);

function findCall(connection: Connection, id: unknown): Call | undefined {
  return typeof id === 'number' ? connection.conversation.find(id) : undefined;
}

/**
 * On a shared channel a message can belong to a call only if a single one wants such messages, and nobody else has a
 * request there or gave one up just now.
 */
function onlyListener({ conversation }: Connection): Call | undefined {
  const pending = conversation.pending();
  const [only, ...others] = pending.filter(({ options }) => options.onLog !== undefined);
  if (only === undefined || others.length > 0) return undefined;
  // Lists, pings and the like are nobody's.
  const isOfOther = ({ caller, method }: OngoingCall): boolean =>
    caller !== only.caller && (caller !== undefined || mayAsk(method));
  return pending.some(isOfOther) || conversation.abandoned().some(isOfOther) ? undefined : only;
}

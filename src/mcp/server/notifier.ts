import type { ChangeNotification, SubscriptionFilter } from '../model/index.js';
import type { Listen, ListenRequest } from './handler.js';
import { includes } from './modern/subscription-filter.js';

/** Tells listening clients of changes. */
export interface Notifier {
  readonly listen: Listen;
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** Anything else, for instance the state of a task. */
  notify(notification: ChangeNotification): void;
}

/** For servers that know of their changes themselves: `listen` goes into the options, the rest is called on a change. */
export function createNotifier(): Notifier {
  const listeners = new Set<ListenRequest>();
  const notify = (notification: ChangeNotification): void => {
    for (const listener of listeners) if (wants(listener.filter, notification)) listener.emit(notification);
  };
  return {
    listen: (request) => {
      listeners.add(request);
      return { honoured: request.filter, close: () => listeners.delete(request) };
    },
    notify,
    toolsChanged: () => notify({ method: 'notifications/tools/list_changed' }),
    promptsChanged: () => notify({ method: 'notifications/prompts/list_changed' }),
    resourcesChanged: () => notify({ method: 'notifications/resources/list_changed' }),
    resourceUpdated: (uri) => notify({ method: 'notifications/resources/updated', params: { uri } }),
  };
}

function wants(filter: SubscriptionFilter, notification: ChangeNotification): boolean {
  if (!includes(filter, notification)) return false;
  if (notification.method !== 'notifications/resources/updated') return true;
  const uri = notification.params?.['uri'];
  return typeof uri === 'string' && filter.resourceSubscriptions?.includes(uri) === true;
}

import type { JsonObject, NotificationMessage } from '../jsonrpc/index.js';
import {
  isPartOfResource,
  type ChangeNotification,
  type ServerCapabilities,
  type SubscriptionFilter,
} from '../model/index.js';

const METHODS = new Set<string>([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tasks',
] satisfies ChangeNotification['method'][]);

export function toChange({ method, params }: NotificationMessage): ChangeNotification | undefined {
  if (!METHODS.has(method)) return undefined;
  return { method: method as ChangeNotification['method'], ...(params && { params }) };
}

/** The part of a filter that a server with these capabilities can serve. */
export function offeredPart(
  filter: SubscriptionFilter,
  capabilities: ServerCapabilities,
  tasks: boolean,
): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  const uris = resources?.subscribe === true ? (filter.resourceSubscriptions ?? []) : [];
  const taskIds = tasks ? (filter.taskIds ?? []) : [];
  return {
    ...(filter.toolsListChanged === true && tools?.listChanged === true && { toolsListChanged: true }),
    ...(filter.promptsListChanged === true && prompts?.listChanged === true && { promptsListChanged: true }),
    ...(filter.resourcesListChanged === true &&
      resources?.listChanged === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(taskIds.length > 0 && { taskIds }),
  };
}

export function isEmptyFilter(filter: SubscriptionFilter): boolean {
  return Object.keys(filter).length === 0;
}

/** What a server says it honours, as far as it was asked for. */
export function readHonoured(asked: SubscriptionFilter, told: JsonObject): SubscriptionFilter {
  const uris = stringsIn(told['resourceSubscriptions']).filter((uri) =>
    asked.resourceSubscriptions?.includes(uri),
  );
  const taskIds = stringsIn(told['taskIds']).filter((id) => asked.taskIds?.includes(id));
  return {
    ...(asked.toolsListChanged && told['toolsListChanged'] === true && { toolsListChanged: true }),
    ...(asked.promptsListChanged && told['promptsListChanged'] === true && { promptsListChanged: true }),
    ...(asked.resourcesListChanged &&
      told['resourcesListChanged'] === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(taskIds.length > 0 && { taskIds }),
  };
}

export function wants(filter: SubscriptionFilter, change: ChangeNotification): boolean {
  switch (change.method) {
    case 'notifications/tools/list_changed':
      return filter.toolsListChanged === true;
    case 'notifications/prompts/list_changed':
      return filter.promptsListChanged === true;
    case 'notifications/resources/list_changed':
      return filter.resourcesListChanged === true;
    case 'notifications/resources/updated': {
      const uri = change.params?.['uri'];
      return (
        typeof uri === 'string' &&
        (filter.resourceSubscriptions ?? []).some((asked) => isPartOfResource(asked, uri))
      );
    }
    case 'notifications/tasks':
      return filter.taskIds !== undefined;
  }
}

/** Everything a filter covers, as changed: what to assume after a time in which nothing was heard. */
export function everyChange(filter: SubscriptionFilter): readonly ChangeNotification[] {
  const changes: ChangeNotification[] = [];
  if (filter.toolsListChanged === true) changes.push({ method: 'notifications/tools/list_changed' });
  if (filter.promptsListChanged === true) changes.push({ method: 'notifications/prompts/list_changed' });
  if (filter.resourcesListChanged === true) changes.push({ method: 'notifications/resources/list_changed' });
  for (const uri of filter.resourceSubscriptions ?? []) {
    changes.push({ method: 'notifications/resources/updated', params: { uri } });
  }
  return changes;
}

function stringsIn(value: JsonObject[string]): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

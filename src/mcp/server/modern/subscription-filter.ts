import { INVALID_PARAMS, isObject, ProtocolError, type Json, type JsonObject } from '../../jsonrpc/index.js';
import type { ChangeNotification, ServerCapabilities, SubscriptionFilter } from '../../model/index.js';

const MAX_ENTRIES = 1000;

/** What a client wants to hear of. Throws when it is malformed. */
export function readFilter(params: JsonObject | undefined): SubscriptionFilter {
  const wanted = params?.['notifications'];
  if (!isObject(wanted)) throw invalid('notifications must be an object');
  return {
    ...readFlag(wanted, 'toolsListChanged'),
    ...readFlag(wanted, 'promptsListChanged'),
    ...readFlag(wanted, 'resourcesListChanged'),
    ...readTexts(wanted, 'resourceSubscriptions'),
    ...readTexts(wanted, 'taskIds'),
  };
}

function readFlag(wanted: JsonObject, member: string): { readonly [member: string]: boolean } | undefined {
  const value = wanted[member];
  if (value === undefined) return undefined;
  if (typeof value !== 'boolean') throw invalid(`${member} must be a boolean`);
  return value ? { [member]: true } : undefined;
}

function readTexts(
  wanted: JsonObject,
  member: string,
): { readonly [member: string]: readonly string[] } | undefined {
  const value = wanted[member];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_ENTRIES || !value.every(isText)) {
    throw invalid(`${member} must be an array of at most ${MAX_ENTRIES} strings`);
  }
  return value.length === 0 ? undefined : { [member]: [...new Set(value.filter(isText))] };
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message);
}

/** The part of a filter that the advertised capabilities cover. */
export function coveredBy(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  return {
    ...(filter.toolsListChanged === true && tools?.listChanged === true && { toolsListChanged: true }),
    ...(filter.promptsListChanged === true && prompts?.listChanged === true && { promptsListChanged: true }),
    ...(filter.resourcesListChanged === true &&
      resources?.listChanged === true && { resourcesListChanged: true }),
    ...(filter.resourceSubscriptions !== undefined &&
      resources?.subscribe === true && { resourceSubscriptions: filter.resourceSubscriptions }),
    ...(filter.taskIds !== undefined && { taskIds: filter.taskIds }),
  };
}

/** Whether somebody with this filter asked to hear of this. An updated resource may lie below a subscribed one. */
export function includes(filter: SubscriptionFilter, notification: ChangeNotification): boolean {
  switch (notification.method) {
    case 'notifications/tools/list_changed':
      return filter.toolsListChanged === true;
    case 'notifications/prompts/list_changed':
      return filter.promptsListChanged === true;
    case 'notifications/resources/list_changed':
      return filter.resourcesListChanged === true;
    case 'notifications/resources/updated':
      return (filter.resourceSubscriptions?.length ?? 0) > 0;
    case 'notifications/tasks': {
      const id = notification.params?.['taskId'];
      return typeof id === 'string' && filter.taskIds?.includes(id) === true;
    }
  }
}

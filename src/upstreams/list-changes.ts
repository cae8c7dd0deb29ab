import type { ServerCapabilities, SubscriptionFilter } from '../mcp/model/index.js';

/** The lists of whose changes a server tells; undefined if none. */
export function changesOf({ tools, prompts, resources }: ServerCapabilities): SubscriptionFilter | undefined {
  const filter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

import {
  aggregateRule,
  assignNames,
  type CatalogEntry,
  type Permits,
  type Snapshot,
} from '../../src/catalog/index.js';
import { parseConnector, type Connector } from '../../src/connectors/index.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../src/mcp/model/index.js';

export interface Offers {
  readonly tools?: readonly (string | Tool)[];
  readonly prompts?: readonly (string | Prompt)[];
  readonly resources?: readonly (string | Resource)[];
  readonly templates?: readonly (string | ResourceTemplate)[];
  readonly capabilities?: Snapshot['upstream']['capabilities'];
}

export function connectorOf(id: string, input: object = { url: 'http://127.0.0.1:1/mcp' }): Connector {
  return parseConnector(id, input, { source: 'file', now: 0 });
}

export function snapshotOf(id: string, offers: Offers, changes: Partial<Snapshot> = {}): Snapshot {
  const tools = (offers.tools ?? []).map((tool) =>
    typeof tool === 'string' ? { name: tool, inputSchema: { type: 'object' } } : tool,
  );
  const prompts = (offers.prompts ?? []).map((prompt) =>
    typeof prompt === 'string' ? { name: prompt } : prompt,
  );
  const rule = aggregateRule(id);
  return {
    connectorId: connectorOf(id).id,
    takenAt: 0,
    hash: JSON.stringify(offers),
    upstream: {
      info: { name: id, version: '1' },
      era: 'legacy',
      revision: '2025-11-25',
      capabilities: offers.capabilities ?? { tools: {}, prompts: {}, resources: {} },
      instructions: undefined,
    },
    listedAs: 'anonymous',
    tools,
    prompts,
    resources: (offers.resources ?? []).map((resource) =>
      typeof resource === 'string' ? { uri: resource, name: resource } : resource,
    ),
    templates: (offers.templates ?? []).map((template) =>
      typeof template === 'string' ? { uriTemplate: template, name: template } : template,
    ),
    rejected: [],
    names: {
      tools: assignNames(
        rule,
        tools.map(({ name }) => name),
      ),
      prompts: assignNames(
        rule,
        prompts.map(({ name }) => name),
      ),
    },
    ...changes,
  };
}

export function entryOf(id: string, offers: Offers, input?: object): CatalogEntry {
  return { connector: connectorOf(id, input), snapshot: snapshotOf(id, offers) };
}

export const EVERYTHING_PERMITTED: Permits = { tool: () => true, prompt: () => true, resource: () => true };

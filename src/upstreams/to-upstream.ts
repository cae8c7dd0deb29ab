import type { RejectedOffer } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { Listing, McpClient } from '../mcp/client/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { reachesLevel, type CallResult, type LogLevel } from '../mcp/model/index.js';
import { toHubError } from './upstream-failure.js';
import type { Upstream } from './upstream.js';

/** A client as operations see it: failures are the hub's, and the era is only a word to show. */
export function toUpstream(client: McpClient, connector: Connector): Upstream {
  const rethrow = (error: unknown): never => {
    throw toHubError(error, connector);
  };
  const hearing = logListener(client);
  return {
    get identity() {
      const { info, capabilities, instructions, era, revision } = client.server;
      return { info, capabilities, instructions, era, revision };
    },
    callTool(name, args, options) {
      const ask = (): Promise<CallResult> => client.callTool(name, args, options);
      return (options.logLevel === undefined ? ask() : hearing(options.logLevel).then(ask)).catch(rethrow);
    },
    getPrompt(name, args, options) {
      const ask = () => client.getPrompt(name, args as Readonly<Record<string, string>> | undefined, options);
      return (options.logLevel === undefined ? ask() : hearing(options.logLevel).then(ask)).catch(
        rethrow,
      ) as Promise<JsonObject>;
    },
    readResource(uri, options) {
      const ask = () => client.readResource(uri, options);
      return (options.logLevel === undefined ? ask() : hearing(options.logLevel).then(ask)).catch(
        rethrow,
      ) as unknown as Promise<JsonObject>;
    },
    complete: (params, options) => client.request('completion/complete', params, options).catch(rethrow),
    listOffers: (options) => listOffers(client, options.signal).catch(rethrow),
  };
}

/**
 * Where the level of log messages is agreed once for a whole conversation, the most talkative caller decides what is
 * sent; the client keeps from each caller what it did not ask for.
 */
function logListener(client: McpClient): (level: LogLevel) => Promise<void> {
  let agreed: LogLevel | undefined;
  return async (level) => {
    if (client.server.era !== 'legacy' || (agreed !== undefined && reachesLevel(level, agreed))) return;
    agreed = level;
    // Without log messages the call is still worth making.
    await client.setLogLevel(level).catch(() => {});
  };
}

async function listOffers(client: McpClient, signal: AbortSignal | undefined) {
  const options = signal === undefined ? {} : { signal };
  const tools = await client.listTools(options);
  const prompts = await client.listPrompts(options);
  const resources = await client.listResources(options);
  const templates = await client.listResourceTemplates(options);
  return {
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    rejected: [
      ...rejected('tool', tools),
      ...rejected('prompt', prompts),
      ...rejected('resource', resources),
      ...rejected('template', templates),
    ],
  };
}

function rejected(kind: RejectedOffer['kind'], listing: Listing<unknown>): RejectedOffer[] {
  return listing.rejected.map(({ name, reason }) => ({ kind, name: name ?? '', reason }));
}

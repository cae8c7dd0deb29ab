import type { ListTtls, RejectedOffer } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import {
  ClientError,
  type ClientErrorCode,
  type CompletionRequest,
  type Listing,
  type McpClient,
} from '../mcp/client/index.js';
import { ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import { reachesLevel, type LogLevel } from '../mcp/model/index.js';
import type { HubError } from '../kernel/index.js';
import { ASK_EVERYTHING } from './ask-profile.js';
import { withInput } from './input-routing.js';
import { toHubError } from './upstream-failure.js';
import { toUpstreamTask } from './upstream-task.js';
import type { ListedOffers, SideList, Upstream, UpstreamOptions } from './upstream.js';

/** Hears how the upstream is, by how it answers. */
export interface Vitals {
  alive(): void;
  failed(error: HubError): void;
}

/** What lets us in, as it is now. */
type Shown = Pick<Access, 'headers'>;

/** A client as operations see it: failures are the hub's, and the era is only a word to show. */
export function toUpstream(client: McpClient, connector: Connector, vitals: Vitals, shown?: Shown): Upstream {
  const { heard, rethrow } = listeningTo(connector, vitals, shown);
  const toFailure = (error: unknown): HubError => toHubError(error, connector, shown?.headers);
  const hearing = logListener(client);
  const answered = <Answer>({ logLevel }: UpstreamOptions, ask: () => Promise<Answer>): Promise<Answer> =>
    (logLevel === undefined ? ask() : hearing(logLevel).then(ask)).then(heard, rethrow);
  return {
    get identity() {
      const { info, capabilities, instructions, era, revision } = client.server;
      return { info, capabilities, instructions, era, revision };
    },
    callTool(name, args, options) {
      const whole = withInput(options);
      return answered(options, () => client.callTool(name, args, whole));
    },
    startTool(name, args, options) {
      const whole = withInput(options);
      return answered(options, () => client.startTool(name, args, whole)).then(toStarted);
    },
    onVisited: (id, listener) => client.onVisited(id, listener),
    followTask: (taskId) => toUpstreamTask(client.followTask(taskId), connector, { heard, rethrow }),
    getPrompt(name, args, options) {
      const whole = withInput(options);
      const texts = args as Readonly<Record<string, string>> | undefined;
      return answered(options, () => client.getPrompt(name, texts, whole)) as Promise<JsonObject>;
    },
    readResource(uri, options) {
      const whole = withInput(options);
      return answered(options, () => client.readResource(uri, whole)) as unknown as Promise<JsonObject>;
    },
    async round(method, params, { inputResponses, requestState, takesTask, ...options }) {
      // Only where a call is made again for its answers there is a place for them in it.
      const brought = client.server.era === 'legacy' ? {} : { inputResponses, requestState };
      const whole = withInput({ ...options, ...brought });
      const round = await answered(options, () => client.callRaw(method, params, whole));
      if (round.type === 'complete') return { result: round.result };
      if (round.type === 'input_required') return round;
      if (takesTask === true) return { task: round.task };
      return { result: (await client.awaitTask(round.task, whole).then(heard, rethrow)) as JsonObject };
    },
    complete(params, options) {
      const query = params as unknown as CompletionRequest;
      return client.complete(query, options).then(heard, rethrow) as unknown as Promise<JsonObject>;
    },
    request: (method, params, options) =>
      client.request(method, params, withInput(options)).then(heard, rethrow),
    listOffers: (options) => listOffers(client, options.signal, toFailure).then(heard, rethrow),
  };
}

function toStarted(started: Awaited<ReturnType<McpClient['startTool']>>) {
  return started.type === 'task' ? { task: started.task } : { result: started.result };
}

/** Every answer and every failure is a sign of how the upstream is. */
function listeningTo(connector: Connector, vitals: Vitals, shown: Shown | undefined) {
  return {
    heard<Answer>(this: void, answer: Answer): Answer {
      vitals.alive();
      return answer;
    },
    rethrow(this: void, error: unknown): never {
      const failure = toHubError(error, connector, shown?.headers);
      vitals.failed(failure);
      throw failure;
    },
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

async function listOffers(
  client: McpClient,
  signal: AbortSignal | undefined,
  toFailure: (error: unknown) => HubError,
): Promise<ListedOffers> {
  // Some servers offer only what the client they speak to can take part in.
  const options = { ...(signal !== undefined && { signal }), capabilities: ASK_EVERYTHING.capabilities };
  const refusals: RejectedOffer[] = [];
  const refused: ListedOffers['refused'][number][] = [];
  /** A server whose prompts or resources are out of order, and not only for a moment, still has its tools. */
  const unlessRefused = async <Item>(
    list: SideList,
    kind: RejectedOffer['kind'],
    read: () => Promise<Listing<Item>>,
  ): Promise<Listing<Item>> => {
    try {
      return await read().catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        return read();
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const failure = toFailure(error);
      refused.push({ list, failure });
      refusals.push({ kind, name: LIST_METHODS[list], reason: failure.message });
      return { items: [], rejected: [], ttlMs: undefined, cacheScope: undefined };
    }
  };
  const tools = await client.listTools(options);
  const prompts = await unlessRefused('prompts', 'prompt', () => client.listPrompts(options));
  const resources = await unlessRefused('resources', 'resource', () => client.listResources(options));
  const templates = await unlessRefused('templates', 'template', () => client.listResourceTemplates(options));
  return {
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
    ttls: ttlsOf({ tools, prompts, resources, templates }),
    rejected: [
      ...rejected('tool', tools),
      ...rejected('prompt', prompts),
      ...rejected('resource', resources),
      ...rejected('template', templates),
      ...refusals,
    ],
    refused,
  };
}

const LIST_METHODS: Readonly<Record<SideList, string>> = {
  prompts: 'prompts/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
};
const USELESS: ReadonlySet<ClientErrorCode> = new Set(['invalid_response', 'cursor_repeated', 'page_limit']);

/** Whether the upstream is there and answered, only not with a list. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof ClientError && USELESS.has(error.code));
}

function ttlsOf(listings: Readonly<Record<keyof ListTtls, Listing<unknown>>>): ListTtls {
  const known = Object.entries(listings).filter(([, { ttlMs }]) => ttlMs !== undefined);
  return Object.fromEntries(known.map(([list, { ttlMs }]) => [list, ttlMs]));
}

function rejected(kind: RejectedOffer['kind'], listing: Listing<unknown>): RejectedOffer[] {
  return listing.rejected.map(({ name, reason }) => ({ kind, name: name ?? '', reason }));
}

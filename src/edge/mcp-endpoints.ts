import type { RequestListener } from 'node:http';
import type { Agent, Authenticator } from '../agents/index.js';
import { type LiveCatalog, type Surface, type SurfaceScope } from '../catalog/index.js';
import type { Logger, Tracer } from '../kernel/index.js';
import {
  supportsTasks,
  TASKS_EXTENSION,
  type ServerCapabilities,
  type ServerDescription,
} from '../mcp/model/index.js';
import {
  createMcpServer,
  toHttpFace,
  type Exchange,
  type ExchangeHeaders,
  type FrontTarget,
  type GuardOptions,
  type HttpFace,
  type ListenRequest,
  type Load,
  type McpServer,
  type ServerEvent,
  type ServerOptions,
  type SessionEndReason,
  type StateSeal,
  type Subscription,
} from '../mcp/server/index.js';
import { OLDEST_WITHOUT_BATCHES } from '../mcp/wire/index.js';
import { isScoped, nameOfScope, scopeOf, type NamedParts } from './endpoint-scope.js';
import { logServerEvent } from './log-server-event.js';
import { createCallerIdentification, type CallerIdentification, type TokenFace } from './identify-caller.js';
import { retireEndpoints } from './retire-endpoints.js';
import { reviewListeners } from './review-listeners.js';
import { REST_METHODS, RestExchange } from './rest-face.js';
import {
  createMcpHandlers,
  createPassThroughHandler,
  foreignExtensions,
  type McpOperations,
} from './mcp-handlers.js';
import { LONGEST_TTL_MS } from './mcp-lists.js';
import { Principals } from './principals.js';
import { ListWatches } from './list-watches.js';
import { tellReduced } from './tell-reduced.js';
import { FORWARDED_FOR, type ClientNetworkOf } from './client-network.js';
import { keptOfAgent } from '../operations/index.js';
import { openKeptSessions, type KeptSessions } from './kept-sessions/open-kept-sessions.js';
import type { OpenSessions } from './open-sessions.js';
import { openSharedSessions, type SharedSessions } from './shared-sessions/open-shared-sessions.js';
import { together, watchResources } from './resource-updates.js';
import { createTaskPort } from './task-port.js';
import { followTasks } from './task-updates.js';
import { toolParamHeaders } from './tool-param-headers.js';

export interface McpEndpointsOptions extends NamedParts {
  readonly operations: McpOperations;
  readonly authenticator: Pick<Authenticator, 'identify'>;
  /** Without it only keys count. */
  readonly tokens?: TokenFace;
  /** Hears of keys and tokens that were not accepted, and where they came from. */
  readonly onRefused?: (reason: string, address: string) => void;
  readonly clientNetworkOf: ClientNetworkOf;
  readonly catalog: LiveCatalog;
  readonly version: string;
  readonly streaming: 'auto' | 'off';
  readonly guard: GuardOptions;
  readonly maxBodyBytes: number;
  /** `off`: clients of the handshake era are served without. */
  readonly sessions: 'auto' | 'off';
  /** Whether the revision that has arrays of messages is spoken. */
  readonly batches: boolean;
  readonly rejectChunked: boolean;
  readonly seal?: StateSeal;
  readonly claimState?: ServerOptions['claimState'];
  /** Where several replicas serve the same sessions. */
  readonly shared?: SharedSessions;
  /** Where one process does, and sessions outlive it. */
  readonly kept?: Omit<KeptSessions, 'groupOf'>;
  readonly load?: Load;
  /** Hears when a session of a client is over; not everywhere where it is only `closed`. */
  readonly onSessionEnded?: (agent: Agent, session: string, reason: SessionEndReason) => void;
  readonly onPolicyChange: (listener: () => void) => () => void;
  /** Agents, their keys, or what their tokens are worth. */
  readonly onAgentsChange: (listener: () => void) => () => void;
  /** Where traces are wanted. */
  readonly tracer?: Tracer | undefined;
  /** Hears what no answer tells. */
  readonly onServerEvent?: (event: ServerEvent) => void;
  readonly logger: Logger;
}

/** One server of the protocol library for each endpoint: the aggregate, each connector, each toolset. */
export interface McpEndpoints {
  /** Who answers at a path, be it that there is nothing; undefined if it is none of ours. */
  find(path: string): RequestListener | undefined;
  /** The same for whoever reads requests without `node:http`. */
  front(path: string): FrontTarget | undefined;
  close(): Promise<void>;
}

interface Endpoint {
  readonly scope: SurfaceScope;
  readonly server: McpServer;
  readonly sessions: OpenSessions | undefined;
  readonly face: HttpFace;
}

export function createMcpEndpoints(options: McpEndpointsOptions): McpEndpoints {
  const endpoints = new Map<string, Endpoint>();
  const principals = new Principals();
  const callers = createCallerIdentification(options.authenticator, options.tokens);
  const identity = { callers, principals };
  const stopReviews = reviewListeners({ ...options, ...identity, endpoints });
  const stopRetiring = retireEndpoints({
    endpoints,
    isThere: (path) => scopeOf(path, options) !== undefined,
    close: closeEndpoint,
    onChange: [(listener) => options.catalog.onChange(listener), options.onPolicyChange],
  });

  function create(path: string, scope: SurfaceScope): Endpoint {
    const method = REST_METHODS[path];
    const legacy = method === undefined && options.sessions === 'auto' ? 'sessions' : 'stateless';
    const sessions =
      legacy === 'sessions' ? openSessions(options, nameOfScope(scope), principals) : undefined;
    const server = createServer(options, scope, { legacy, ...sessions?.options }, principals);
    if (method === undefined)
      return { scope, server, sessions, face: faceFor(options, identity, path, server) };
    const plain = {
      handle: (exchange: Exchange, principal: string) =>
        server.handle(new RestExchange(exchange, method), principal),
    };
    return { scope, server, sessions, face: faceFor(options, identity, path, plain) };
  }

  function faceAt(path: string): HttpFace | undefined {
    let endpoint = endpoints.get(path);
    // What is no connector or toolset is always there.
    if (endpoint?.scope.kind === 'all') return endpoint.face;
    const scope = scopeOf(path, options);
    if (scope === undefined) return isScoped(path) ? faceFor(options, identity, path, NOWHERE) : undefined;
    if (endpoint === undefined) endpoints.set(path, (endpoint = create(path, scope)));
    return endpoint.face;
  }

  return {
    find: (path) => faceAt(path)?.listener,
    front: (path) => faceAt(path)?.front,
    async close() {
      stopReviews();
      await Promise.all([stopRetiring(), ...[...endpoints.values()].map(closeEndpoint)]);
    },
  };
}

/** Who calls, and what is remembered of them. */
interface Identity {
  readonly callers: CallerIdentification;
  readonly principals: Principals;
}

function faceFor(
  { onRefused, clientNetworkOf, guard, maxBodyBytes, sessions, streaming }: McpEndpointsOptions,
  { callers, principals }: Identity,
  path: string,
  server: Pick<McpServer, 'handle'>,
): HttpFace {
  const hasStreams = sessions === 'auto' && streaming === 'auto' && !Object.hasOwn(REST_METHODS, path);
  return toHttpFace(server, {
    paths: [path],
    ...(!hasStreams && { methods: ['POST'] }),
    authenticate(headers: ExchangeHeaders) {
      const found = callers.identify(headers, path);
      return found instanceof Promise
        ? found.then((agent) => principals.remember(agent))
        : principals.remember(found);
    },
    challenge: (headers) => callers.challenge(headers, path),
    onRefused: ({ reason }, address, headers) =>
      onRefused?.(reason, clientNetworkOf(address, headers[FORWARDED_FOR])),
    guard,
    maxBodyBytes,
  });
}

async function closeEndpoint({ server, sessions }: Endpoint): Promise<void> {
  await server.close();
  await sessions?.close();
}

function openSessions(
  { shared, kept }: McpEndpointsOptions,
  name: string,
  principals: Principals,
): OpenSessions | undefined {
  if (shared !== undefined) return openSharedSessions(shared, name);
  const groupOf = (principal: string): string => keptOfAgent(principals.agentOf(principal).id);
  return kept && openKeptSessions({ ...kept, groupOf }, name);
}

/** A call that is not over by then is answered as a stream: it can be kept alive, and taken up again if it breaks. */
const STREAMS = { upgradeAfterMs: 500 };

function createServer(
  options: McpEndpointsOptions,
  scope: SurfaceScope,
  given: Pick<ServerOptions, 'legacy' | 'sessions' | 'events' | 'peers'>,
  principals: Principals,
): McpServer {
  const agentOf = (principal: string): Agent => principals.agentOf(principal);
  const fallback = createPassThroughHandler(options.operations, scope, agentOf);
  const paramHeaders = toolParamHeaders(options.operations.surfaces, scope, agentOf);
  const descriptions = new WeakMap<Surface, ServerDescription>();
  const { operations, catalog, onPolicyChange } = options;
  const source = { surfaces: operations.surfaces, catalog, principals, onPolicyChange };
  const lists = new ListWatches(source, scope);
  return createMcpServer({
    ...given,
    describe: (principal) => {
      const surface = options.operations.surfaces.surfaceFor(agentOf(principal), scope);
      let description = descriptions.get(surface);
      if (description === undefined)
        descriptions.set(surface, (description = describe(options, scope, surface)));
      return description;
    },
    handlers: createMcpHandlers(options.operations, scope, agentOf, options.tracer),
    tasks: createTaskPort(options.operations.tasks, scope, agentOf),
    listen: (request) => listenFor(operations, lists, { scope, agentOf }, request),
    streaming: options.streaming,
    ...(!options.batches && { oldestRevision: OLDEST_WITHOUT_BATCHES }),
    rejectChunked: options.rejectChunked,
    cache: { ttlMs: LONGEST_TTL_MS, cacheScope: 'private' },
    streams: STREAMS,
    ...(paramHeaders !== undefined && { paramHeaders }),
    ...(fallback !== undefined && { fallback }),
    ...(options.seal !== undefined && { seal: options.seal }),
    ...(options.claimState !== undefined && { claimState: options.claimState }),
    ...(options.load !== undefined && { load: options.load }),
    targetOf(toolName, principal) {
      const agent = agentOf(principal);
      const found = options.operations.surfaces.surfaceFor(agent, scope).findTool(toolName);
      return found && { place: found.connector.id, sender: agent.id };
    },
    onSessionEnded: (principal, session, reason) =>
      options.onSessionEnded?.(agentOf(principal), session, reason),
    onEvent: (event) => {
      logServerEvent(options.logger, event);
      options.onServerEvent?.(event);
      if (event.type === 'answer_reduced' || event.type === 'question_reduced')
        tellReduced(options.operations, scope, agentOf(event.principal), event);
    },
  });
}

/** Who may not know which connectors and toolsets there are is not told by the status either. */
const NOWHERE: Pick<McpServer, 'handle'> = {
  handle: (exchange) =>
    exchange.send(
      404,
      {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
      '{"error":{"code":"not_found","message":"there is nothing at this address"}}',
    ),
};

/**
 * The union of what the visible upstreams can do; lists are ours, so we always know when they change. Without streams there
 * is no way to tell of anything.
 */
function describe(
  { version, streaming }: Pick<McpEndpointsOptions, 'version' | 'streaming'>,
  scope: SurfaceScope,
  surface: Surface,
): ServerDescription {
  const upstreams = surface.entries.map(({ snapshot }) => snapshot.upstream);
  const tells = streaming === 'auto';
  const changes = tells ? { listChanged: true } : {};
  const offers = (has: (of: ServerCapabilities) => boolean) =>
    upstreams.some(({ capabilities: of }) => has(of));
  // In a toolset there are tools only.
  const hasOthers = scope.kind !== 'toolset';
  const capabilities: ServerCapabilities = {
    tools: changes,
    prompts: changes,
    resources: {
      ...changes,
      ...(tells &&
        hasOthers &&
        offers(({ resources }) => resources?.subscribe === true) && { subscribe: true }),
    },
    ...(hasOthers && offers(({ completions }) => completions !== undefined) && { completions: {} }),
    ...(tells && offers(({ logging }) => logging !== undefined) && { logging: {} }),
    ...extensionsOf(
      scope,
      upstreams.map(({ capabilities: offered }) => offered),
    ),
  };
  const instructions = instructionsFor(scope, surface);
  return {
    info: { name: 'crosspoint', title: 'Crosspoint', version },
    capabilities,
    ...(instructions !== undefined && { instructions }),
  };
}

/** An upstream that has an address to itself speaks for itself, unless it may speak of what the agent must not know. */
function instructionsFor(scope: SurfaceScope, surface: Surface): string | undefined {
  if (scope.kind !== 'connector')
    return 'Tools are grouped by connector: the part of a name before "__" says where it comes from.';
  return surface.isHidden ? undefined : surface.entries[0]?.snapshot.upstream.instructions;
}

/** Tasks are ours wherever an upstream has some; everything else is passed on where there is one upstream only. */
function extensionsOf(
  { kind }: SurfaceScope,
  upstreams: readonly ServerCapabilities[],
): Pick<ServerCapabilities, 'extensions' | 'experimental'> {
  const foreign = kind === 'connector' ? foreignExtensions(upstreams[0] ?? {}) : {};
  if (!upstreams.some(supportsTasks)) return foreign;
  return { ...foreign, extensions: { ...foreign.extensions, [TASKS_EXTENSION]: {} } };
}

/** Lists are ours to tell of; single resources are watched where they are. */
function listenFor(
  { watchResource, tasks }: McpOperations,
  lists: ListWatches,
  { scope, agentOf }: { readonly scope: SurfaceScope; readonly agentOf: (principal: string) => Agent },
  request: ListenRequest,
): Subscription | Promise<Subscription> {
  const { resourceSubscriptions: uris, taskIds } = request.filter;
  if (uris === undefined && taskIds === undefined) return lists.listen(request);
  const caller = { agentOf: () => agentOf(request.principal), scope, request };
  const parts = [
    ...(uris === undefined ? [] : [watchResources(watchResource, { ...caller, uris })]),
    ...(taskIds === undefined ? [] : [followTasks(tasks, { ...caller, taskIds })]),
  ];
  return Promise.all(parts).then((opened) => together(lists.listen(request), ...opened));
}

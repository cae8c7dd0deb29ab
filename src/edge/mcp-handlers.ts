import { randomUUID } from 'node:crypto';
import type { Agent } from '../agents/index.js';
import { exposeTool, type SurfaceScope } from '../catalog/index.js';
import { HubError, toCallId, type CallId, type Tracer } from '../kernel/index.js';
import { isObject, METHOD_NOT_FOUND, ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import {
  TASKS_EXTENSION,
  taskSupportOf,
  type ClientCapabilities,
  type ServerCapabilities,
} from '../mcp/model/index.js';
import type { Handler, McpRequest } from '../mcp/server/index.js';
import type {
  BridgeLosses,
  CallTool,
  CompleteArgument,
  GetPrompt,
  PassThrough,
  ReadResource,
  Surfaces,
  TaskDesk,
  ToolCall,
  WatchResource,
} from '../operations/index.js';
import { askProfileOf } from '../upstreams/index.js';
import { roundsOf } from './client-questions.js';
import { guarded, recorded, shownAs, type RecordedHandler } from './guarded-handlers.js';
import { createLists } from './mcp-lists.js';
import { optionsOf, RequestOptions } from './request-options.js';
import { RequestTraces } from './request-traces.js';

export interface McpOperations {
  readonly surfaces: Surfaces;
  readonly callTool: CallTool;
  readonly getPrompt: GetPrompt;
  readonly readResource: ReadResource;
  readonly completeArgument: CompleteArgument;
  readonly watchResource: WatchResource;
  readonly passThrough: PassThrough;
  readonly losses: BridgeLosses;
  readonly tasks: TaskDesk;
}

type AgentOf = (principal: string) => Agent;

/** The methods of MCP, answered by operations, for one endpoint. */
export function createMcpHandlers(
  operations: McpOperations,
  scope: SurfaceScope,
  agentOf: AgentOf,
  tracer?: Tracer,
): Record<string, Handler> {
  const list = createLists(operations.surfaces, scope, agentOf);
  const traces = tracer === undefined ? undefined : new RequestTraces(tracer, shownAs);
  const unrecorded = (handler: Handler): Handler =>
    guarded(traces === undefined ? handler : traces.wrap(handler));
  const served = (handler: RecordedHandler): Handler =>
    recorded(traces === undefined ? handler : traces.wrap(handler));
  const caller = createCaller(scope, agentOf, traces);
  return {
    'tools/list': unrecorded(list('tools')),
    'prompts/list': unrecorded(list('prompts')),
    'resources/list': unrecorded(list('resources')),
    'resources/templates/list': unrecorded(list('templates')),
    'tools/call': served((request, callId) => {
      const exposedName = textOf(request.params, 'name');
      const args = argumentsOf(request.params);
      const { tasks, client } = request;
      const call =
        tasks === undefined && traces === undefined && isPlain(client.capabilities, scope)
          ? plainCall(request, callId, agentOf(request.principal), scope, exposedName, args)
          : { ...caller(request, callId), exposedName, args, tasks };
      if (tasks?.wanted === true) requireTaskSupport(operations.surfaces, call);
      return operations.callTool(call) as Promise<JsonObject>;
    }),
    'prompts/get': served((request, callId) => {
      const exposedName = textOf(request.params, 'name');
      return operations.getPrompt({
        ...caller(request, callId),
        exposedName,
        args: argumentsOf(request.params),
      });
    }),
    'resources/read': served(async (request, callId) => {
      const uri = textOf(request.params, 'uri');
      return withReadHints(await operations.readResource({ ...caller(request, callId), uri }));
    }),
    'completion/complete': unrecorded((request) =>
      operations.completeArgument({
        ...caller(request, toCallId(randomUUID())),
        params: request.params,
      }),
    ),
  };
}

/** Who asks for what is recorded under this id, and what the upstream is to know of it. */
function createCaller(scope: SurfaceScope, agentOf: AgentOf, traces: RequestTraces | undefined) {
  return (request: McpRequest, callId: CallId) => {
    const { capabilities } = request.client;
    const asks = askProfileOf(capabilities);
    const beyond = scope.kind === 'connector' ? beyondProtocol(capabilities) : undefined;
    const withoutTasks = hearsServerOfTasks(request, scope);
    const options =
      asks === undefined && beyond === undefined
        ? new RequestOptions(request, withoutTasks)
        : optionsOf(request, asks, beyond, withoutTasks);
    return {
      callId,
      agent: agentOf(request.principal),
      scope,
      session: request.session,
      asks,
      options,
      ...(asks !== undefined && !request.asksLive && { rounds: roundsOf(request, asks) }),
      ...traces?.of(request, callId, options),
    };
  };
}

/** Methods that the hub does not know go to the connector that the endpoint stands for; elsewhere nobody could tell to whom. */
export function createPassThroughHandler(
  { passThrough }: McpOperations,
  scope: SurfaceScope,
  agentOf: AgentOf,
): Handler | undefined {
  if (scope.kind !== 'connector') return undefined;
  return recorded((request, callId) => {
    const { _meta: _, ...params } = request.params;
    const { method, session, client } = request;
    const asks = askProfileOf(client.capabilities);
    const extensions = foreignExtensions(client.capabilities);
    const capabilities = { ...asks?.capabilities, ...extensions };
    // Spreading reads the signal, which such a request can afford.
    const options = { ...optionsOf(request, asks), capabilities };
    const agent = agentOf(request.principal);
    return passThrough({ callId, agent, scope, session, asks, method, params, options });
  });
}

/** Asking for a task of a tool that makes none is asking for a method that the tool does not have. */
function requireTaskSupport(
  surfaces: Surfaces,
  { agent, scope, exposedName }: Parameters<CallTool>[0],
): void {
  const entry = surfaces.surfaceFor(agent, scope).findTool(exposedName);
  if (entry !== undefined && taskSupportOf(exposeTool(entry, scope)) === 'forbidden')
    throw new ProtocolError(METHOD_NOT_FOUND, 'This tool cannot be called as a task');
}

/** What a client or server can do beyond the protocol. Tasks are not among it: they are the hub's own on either side. */
export function foreignExtensions({
  extensions = {},
  experimental,
}: ClientCapabilities | ServerCapabilities): Pick<ClientCapabilities, 'extensions' | 'experimental'> {
  const { [TASKS_EXTENSION]: _, ...others } = extensions;
  return {
    ...(Object.keys(others).length > 0 && { extensions: others }),
    ...(experimental !== undefined && { experimental }),
  };
}

/** The same where there is any. Most clients declare nothing of the kind, and are not to pay for it. */
function beyondProtocol(declared: ClientCapabilities): ClientCapabilities | undefined {
  if (declared.extensions === undefined && declared.experimental === undefined) return undefined;
  const foreign = foreignExtensions(declared);
  return foreign.extensions === undefined && foreign.experimental === undefined ? undefined : foreign;
}

/**
 * Whether a client without tasks is told by the connector's server what that says to such a client: one that names what it
 * can do with each request, at the endpoint that stands for the server.
 */
function hearsServerOfTasks({ asksLive, tasks }: McpRequest, scope: SurfaceScope): boolean {
  return scope.kind === 'connector' && !asksLive && tasks === undefined;
}

/** As `caller` has it, for most clients, and written out: putting it together from parts costs a good deal of a call. */
function plainCall(
  request: McpRequest,
  callId: CallId,
  agent: Agent,
  scope: SurfaceScope,
  exposedName: string,
  args: JsonObject | undefined,
): ToolCall {
  return {
    callId,
    agent,
    scope,
    exposedName,
    args,
    session: request.session,
    asks: undefined,
    options: new RequestOptions(request, hearsServerOfTasks(request, scope)),
    rounds: undefined,
    watch: undefined,
    tasks: undefined,
  };
}

/** Whether a client can be asked nothing and can do nothing beyond the protocol that concerns the upstream. */
function isPlain(capabilities: ClientCapabilities, scope: SurfaceScope): boolean {
  return (
    askProfileOf(capabilities) === undefined &&
    (scope.kind !== 'connector' || beyondProtocol(capabilities) === undefined)
  );
}

/** Only the upstream knows how long a content stays true, and only this agent was allowed to see it. */
function withReadHints(result: JsonObject): JsonObject {
  const { ttlMs } = result;
  return { ...result, ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : 0, cacheScope: 'private' };
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new HubError('invalid_request', `${name} must be a string`);
  return value;
}

function argumentsOf(params: JsonObject): JsonObject | undefined {
  const { arguments: args } = params;
  if (args !== undefined && !isObject(args))
    throw new HubError('invalid_request', 'arguments must be an object');
  return args;
}

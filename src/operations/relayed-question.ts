import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import { isObject, type Json, type JsonObject, type ProtocolError } from '../mcp/jsonrpc/index.js';
import type { InputRequest, InputRequests } from '../mcp/model/index.js';
import { changedOptions, type AskCaller, type Lease, type UpstreamOptions } from '../upstreams/index.js';
import type { CallId } from '../kernel/index.js';
import { hearOfVisits } from './url-questions.js';
import { isDeclared, type BridgeLosses } from './bridge-losses.js';

/** Where it says which connector asks. */
const CONNECTOR = 'crosspoint/connector';

/**
 * A question of an upstream as its caller gets it: without what belongs to the other hop. Where several connectors speak
 * through one endpoint it says whose question it is, because the person who answers sees only the hub.
 */
function relayedQuestion(question: InputRequest, connector: Connector, scope: SurfaceScope): InputRequest {
  const { method, params } = question;
  if (params === undefined) return question;
  const { task: _, _meta: meta, includeContext, ...rest } = params;
  const { progressToken: __, ...kept } = isObject(meta) ? meta : {};
  const named = scope.kind !== 'connector';
  const metaNow: JsonObject = {
    ...kept,
    ...(named && method === 'sampling/createMessage' && { [CONNECTOR]: connector.id }),
  };
  const { message } = rest;
  return {
    method,
    params: {
      ...rest,
      ...(includeContext !== undefined && mayInclude(includeContext, scope) && { includeContext }),
      ...(named && typeof message === 'string' && { message: `${connector.name}: ${message}` }),
      ...(Object.keys(metaNow).length > 0 && { _meta: metaNow }),
    },
  };
}

/** What a client has of other connectors is none of an upstream's business; where there are several, all are one server to it. */
function mayInclude(context: Json, { kind }: SurfaceScope): boolean {
  return context !== 'allServers' && (context !== 'thisServer' || kind === 'connector');
}

export function relayedQuestions(
  questions: InputRequests,
  connector: Connector,
  scope: SurfaceScope,
): InputRequests {
  return Object.fromEntries(
    Object.entries(questions).map(([key, question]) => [key, relayedQuestion(question, connector, scope)]),
  );
}

/** Between whom a question is passed on. */
export interface Relaying {
  readonly connector: Connector;
  readonly scope: SurfaceScope;
  readonly agent: Agent;
  readonly session?: string | undefined;
  readonly callId?: CallId | undefined;
}

/** The options of a call whose caller may be asked. While somebody thinks, others have the turn. */
export function relayedOptions(
  options: UpstreamOptions,
  ask: AskCaller,
  lease: Pick<Lease, 'rest' | 'upstream'>,
  { connector, scope, agent, session = '', callId }: Relaying,
  losses: BridgeLosses,
): UpstreamOptions {
  const { capabilities, onVisited } = options;
  return changedOptions(options, {
    ask: async (
      question: InputRequest,
      signal: AbortSignal,
      onRefused?: (refusal: ProtocolError) => void,
    ) => {
      hearOfVisits(lease.upstream, onVisited, [question.params ?? {}]);
      const answer = await lease.rest(() =>
        ask(relayedQuestion(question, connector, scope), signal, onRefused),
      );
      // Who went away was asked all the same.
      if (answer === undefined && !signal.aborted && options.signal?.aborted !== true)
        losses.questionRefused({
          connector: connector.id,
          method: question.method,
          reason: isDeclared(question, capabilities) ? 'unanswered' : 'undeclared',
          agent: agent.id,
          ...(callId !== undefined && { callId }),
        });
      return answer;
    },
    askedAs: `${agent.id}\n${session}`,
  });
}

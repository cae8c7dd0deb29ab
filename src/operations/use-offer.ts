import type { Agent } from '../agents/index.js';
import type { CatalogEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { AccessProvider } from '../credentials/index.js';
import type {
  ArgumentsRecorder,
  CallOutcome,
  EventLog,
  PolicyEngine,
  PolicyQuestion,
} from '../governance/index.js';
import { HubError, type CallId, type Clock, type ConnectorId, type HubErrorCode } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Upstream, UpstreamOptions, Upstreams } from '../upstreams/index.js';
import { failureOf } from './failure-of.js';
import { repeatRead } from './repeat-read.js';
import { withRenewal } from './require-renewed.js';

export interface UseOfferDependencies {
  readonly policy: PolicyEngine;
  readonly events: EventLog;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly recordArguments: ArgumentsRecorder;
  readonly clock: Clock;
}

/** A prompt to get or a resource to read, already found on the agent's surface. */
export interface OfferUse {
  readonly callId: CallId;
  readonly agent: Agent;
  readonly entry: CatalogEntry;
  readonly method: 'prompts/get' | 'resources/read';
  /** Upstream name or address, and the one the agent used. */
  readonly target: string;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
}

/** Decide, record, fetch: what prompts and resources have in common. */
export async function useOffer<Result>(
  deps: UseOfferDependencies,
  use: OfferUse,
  fetch: () => Result | Promise<Result>,
): Promise<Result> {
  const { agent, entry } = use;
  const actor = { kind: 'agent', id: agent.id } as const;
  const decision = deps.policy.decide(questionOf(use));
  if (decision.kind !== 'allow') {
    const denied = new HubError('policy_denied', `Policy denies this: ${decision.reason}`, {
      details: { reason: decision.reason },
    });
    recordRefusal(deps.events, use, denied, { connector: entry.connector.id, policies: decision.policies });
    throw denied;
  }
  const facts = {
    callId: use.callId,
    connector: entry.connector.id,
    target: use.target,
    exposedName: use.exposedName,
    method: use.method,
  };
  const startedAt = deps.clock.monotonic();
  await deps.events.intend(actor, {
    type: 'call.intended',
    ...facts,
    arguments: deps.recordArguments(use.args),
    policies: decision.policies,
  });
  let ending: { outcome: CallOutcome; error?: HubErrorCode } = { outcome: 'ok' };
  try {
    return await fetch();
  } catch (error) {
    ending = failureOf(error);
    throw error;
  } finally {
    deps.events.append(actor, {
      type: 'call.finished',
      ...facts,
      ...ending,
      durationMs: deps.clock.monotonic() - startedAt,
    });
  }
}

/** Writes down that somebody asked for what he may not have, or cannot know. */
export function recordRefusal(
  events: EventLog,
  { callId, agent, exposedName, method }: Pick<OfferUse, 'callId' | 'agent' | 'exposedName' | 'method'>,
  refusal: HubError,
  more: { readonly connector?: ConnectorId; readonly policies?: readonly string[] } = {},
): void {
  const { outcome } = failureOf(refusal);
  const shown = exposedName.slice(0, 200);
  const event = { callId, exposedName: shown, method, outcome, error: refusal.code, ...more };
  events.append({ kind: 'agent', id: agent.id }, { type: 'call.refused', ...event });
}

/** Asks the upstream, as the agent. What is only read may be asked for again, as often as the connector allows. */
export async function fetchFrom<Result>(
  deps: Pick<UseOfferDependencies, 'credentials' | 'upstreams'>,
  {
    agent,
    connector,
    options,
  }: { readonly agent: Agent; readonly connector: Connector; readonly options: UpstreamOptions },
  ask: (upstream: Upstream) => Promise<Result>,
): Promise<Result> {
  const access = await deps.credentials.accessFor(connector, agent.id);
  const once = async (): Promise<Result> => {
    const lease = await deps.upstreams.open(connector, access, {
      principal: agent.id,
      signal: options.signal,
    });
    try {
      return await ask(lease.upstream);
    } finally {
      lease.release();
    }
  };
  return withRenewal(deps.credentials, connector, access, () =>
    repeatRead(connector.retries, options.signal, once),
  );
}

function questionOf({ agent, entry, method, target, args }: OfferUse): PolicyQuestion {
  const question = { agent, connector: entry.connector, ...(args !== undefined && { args }) };
  return method === 'prompts/get'
    ? { ...question, action: 'get', target: { kind: 'prompt', name: target } }
    : { ...question, action: 'read', target: { kind: 'resource', uri: target } };
}

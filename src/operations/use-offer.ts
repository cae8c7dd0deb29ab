import type { CatalogEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { AccessProvider } from '../credentials/index.js';
import type {
  ArgumentsRecorder,
  Decision,
  EventLog,
  PolicyEngine,
  PolicyQuestion,
} from '../governance/index.js';
import { HubError, type CallId, type Clock } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Upstream, UpstreamOptions, Upstreams } from '../upstreams/index.js';
import type { AgentRequest, UpstreamRequest } from './agent-request.js';
import type { BridgeLosses } from './bridge-losses.js';
import { toDenial } from './call-policy.js';
import { CallRecord } from './call-record.js';
import { answeredCode, failureOf } from './failure-of.js';
import { keptSeen, type FlowBook } from './flow-book.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import { relayedOptions, relayedQuestions } from './relayed-question.js';
import { repeatRead } from './repeat-read.js';
import { recordRefusal, type RefusedRequest } from './record-refusal.js';
import { withRenewal } from './require-renewed.js';
import { carryByRounds, claimHeld, keepOpen, NextRound, type Passage } from './rounds.js';
import { Suspended, type Rounds } from './suspended.js';
import { hearOfRefusal } from './url-questions.js';

export interface UseOfferDependencies {
  readonly policy: PolicyEngine;
  readonly flows: Pick<FlowBook, 'seenBy' | 'note'>;
  readonly events: EventLog;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly held: HeldCalls;
  readonly recordArguments: ArgumentsRecorder;
  readonly clock: Clock;
  readonly losses: BridgeLosses;
}

/** A prompt to get, a resource to read or something unknown to ask for, already found on the agent's surface. */
export interface OfferUse extends UpstreamRequest {
  readonly entry: CatalogEntry;
  /** `prompts/get`, `resources/read`, or one that is not the protocol's own. */
  readonly method: string;
  /** Upstream name or address, and the one the agent used. */
  readonly target: string;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
}

/** Decide, record, fetch: what prompts and resources have in common. `fetch` is given the options to fetch with. */
export async function useOffer<Result>(
  deps: UseOfferDependencies,
  use: OfferUse,
  fetch: (options: UpstreamOptions) => Result | Promise<Result>,
): Promise<Result> {
  const { agent, entry, rounds, options } = use;
  const claimed = use.rounds?.state === undefined ? undefined : await claim(deps, use, use.rounds);
  use.watch?.begins('policy');
  const permission = await requirePermission(deps, use, claimed);
  if (rounds === undefined) return recorded(deps, use, permission, undefined, () => fetch(options));
  const connector = entry.connector.id;
  const target = `${use.method}\n${connector}\n${use.target}`;
  const { held, losses } = deps;
  const whose = { held, losses, owner: agent.id, connector, callId: use.callId };
  const kept = keptSeen(permission.seen);
  const carried = { ...whose, target, rounds, options, claimed, state: kept };
  return carryByRounds(carried, (line, continued) =>
    recorded(deps, use, permission, { rounds, kept, target, continued }, () => fetch(line)),
  );
}

interface Permission {
  readonly decision: Decision;
  /** What it was decided with; undefined where no policy looks back. */
  readonly seen: readonly string[] | undefined;
}

async function requirePermission(
  deps: UseOfferDependencies,
  use: OfferUse,
  claimed: HeldCall | undefined,
): Promise<Permission> {
  let decision: Decision | undefined;
  try {
    const looking = deps.flows.seenBy(use);
    const seen = looking === undefined ? undefined : await looking;
    decision = deps.policy.decide(questionOf(use, seen));
    if (decision.kind !== 'allow') throw toDenial(decision, 'this');
    return { decision, seen };
  } catch (error) {
    void claimed?.end(new HubError('cancelled', 'the call was not continued'));
    const found = { connector: use.entry.connector.id, policies: decision?.policies };
    if (error instanceof HubError) recordRefusedOffer(deps.events, use, error, found);
    throw error;
  }
}

/** What the caller comes back for. One who comes for something that is gone is told, and it is written down. */
async function claim(
  { held, events }: UseOfferDependencies,
  use: OfferUse,
  rounds: Rounds,
): Promise<HeldCall | undefined> {
  try {
    return await claimHeld(held, use.agent.id, rounds, 'invalid_request');
  } catch (error) {
    if (error instanceof HubError) recordRefusedOffer(events, use, error);
    throw error;
  }
}

/** Writes down that it begins and how it ended, once each, however many rounds it takes. */
async function recorded<Result>(
  deps: UseOfferDependencies,
  use: OfferUse,
  { decision, seen }: Permission,
  passage: Passage | undefined,
  fetch: () => Result | Promise<Result>,
): Promise<Result> {
  const { agent, entry, target, exposedName, method, callId } = use;
  const facts = { callId, connector: entry.connector.id, target, exposedName, method };
  const record = new CallRecord(deps, { kind: 'agent', id: agent.id }, facts, passage?.continued);
  if (passage?.continued === undefined) {
    use.watch?.begins('intent');
    try {
      await record.intend(use.args, decision.policies, use.options);
    } catch (error) {
      record.refuse(error, decision.policies);
      throw error;
    }
  }
  try {
    const noting = deps.flows.note(use, { connector: entry.connector }, seen);
    if (noting !== undefined) await noting;
    const result = await fetch();
    record.finish({ outcome: 'ok' });
    return result;
  } catch (thrown) {
    const error =
      thrown instanceof NextRound && passage ? suspension(deps, use, passage, record, thrown) : thrown;
    if (!(error instanceof Suspended)) {
      const ending = failureOf(error);
      use.watch?.failed(ending.error ?? ending.outcome, answeredCode(error));
      record.finish(ending);
    }
    throw error;
  }
}

/** What the caller is sent for, or why it cannot be. */
function suspension(
  { held }: UseOfferDependencies,
  { agent, entry, scope }: OfferUse,
  passage: Passage,
  record: CallRecord,
  { requests, state }: NextRound,
): unknown {
  const next = new NextRound(relayedQuestions(requests, entry.connector, scope), state);
  try {
    return keepOpen(held, passage, next, record.toOpenRound(agent.id, passage.target));
  } catch (error) {
    return error;
  }
}

/** For what was refused before it began. */
export function recordRefusedOffer(
  events: EventLog,
  { agent, callId, method, exposedName }: Pick<OfferUse, 'agent' | 'callId' | 'method' | 'exposedName'>,
  refusal: HubError,
  found: Pick<RefusedRequest, 'connector' | 'policies'> = {},
): void {
  const actor = { kind: 'agent', id: agent.id } as const;
  recordRefusal(events, { actor, callId, method, exposedName, refusal, ...found });
}

export interface Fetching extends AgentRequest {
  readonly method: string;
  /** The upstream's own name or address of what is fetched. */
  readonly target: string;
  /** Whether asking twice does no harm; so it is unless said otherwise. */
  readonly isRepeatable?: boolean;
  readonly callId?: CallId;
  readonly connector: Connector;
  readonly options: UpstreamOptions;
}

/** Asks the upstream, as the agent. What is only read may be asked for again, as often as the connector allows. */
export async function fetchFrom<Result>(
  deps: Pick<UseOfferDependencies, 'credentials' | 'upstreams' | 'losses'>,
  { method, target, watch, ...fetching }: Fetching,
  ask: (upstream: Upstream, options: UpstreamOptions) => Promise<Result>,
): Promise<Result> {
  const { agent, connector, scope, session, asks, options, callId, isRepeatable = true } = fetching;
  watch?.begins('credential');
  const access = await deps.credentials.accessFor(connector, agent.id);
  const once = async (): Promise<Result> => {
    const { signal } = options;
    watch?.begins('connect');
    const lease = await deps.upstreams.open(connector, access, {
      principal: agent.id,
      session,
      asks,
      signal,
    });
    watch?.begins('upstream', { connector, method, target });
    try {
      const relayed =
        options.ask === undefined
          ? options
          : relayedOptions(
              options,
              options.ask,
              lease,
              { connector, scope, agent, session, callId },
              deps.losses,
            );
      return await ask(lease.upstream, relayed);
    } catch (error) {
      hearOfRefusal(lease.upstream, options, error);
      throw error;
    } finally {
      lease.release();
    }
  };
  return withRenewal(deps.credentials, connector, access, () =>
    repeatRead(isRepeatable ? connector.retries : 0, options.signal, once),
  );
}

function questionOf(
  { agent, entry, method, target, args }: OfferUse,
  seen: readonly string[] | undefined,
): PolicyQuestion {
  const context = { ...(args !== undefined && { args }), ...(seen !== undefined && { seen }) };
  const question = { agent, connector: entry.connector, ...context };
  switch (method) {
    case 'prompts/get':
      return { ...question, action: 'get', target: { kind: 'prompt', name: target } };
    case 'resources/read':
      return { ...question, action: 'read', target: { kind: 'resource', uri: target } };
    default: {
      const { tags } = entry.connector;
      const tool = { kind: 'tool', name: target, risk: 'destructive', tags, annotations: WORST } as const;
      return { ...question, action: 'call', target: tool };
    }
  }
}

/** Of what nobody described. */
const WORST = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

import type { Agent } from '../agents/index.js';
import type { SurfaceScope, ToolEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { AccessProvider } from '../credentials/index.js';
import {
  flagsOf,
  guardResult,
  riskOf,
  type Actor,
  type ArgumentsRecorder,
  type CallFacts,
  type CallOutcome,
  type Decision,
  type EventLog,
  type PolicyEngine,
  type Validator,
} from '../governance/index.js';
import { HubError, type CallId, type Clock } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';
import type { AskProfile, Caller, Lease, UpstreamOptions, Upstreams } from '../upstreams/index.js';
import { requireConfirmation } from './confirmation.js';
import { failureOf } from './failure-of.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import type { RateLimits } from './rate-limits.js';
import { relayedOptions, relayedQuestions } from './relayed-question.js';
import { askByRounds, carryByRounds, claimHeld, keepOpen, NextRound, OpenRound } from './rounds.js';
import { Suspended, type Rounds } from './suspended.js';
import type { Surfaces } from './surfaces.js';

export interface ToolCall {
  readonly callId: CallId;
  readonly agent: Agent;
  /** Who makes the agent call, where it does not call itself. */
  readonly admin?: string;
  readonly scope: SurfaceScope;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
  /** The caller's conversation with us, where it has one. */
  readonly session?: string | undefined;
  /** What can be asked of the caller, in whichever way; undefined: nothing. */
  readonly asks?: AskProfile | undefined;
  readonly options: UpstreamOptions;
  /** For callers that answer questions by calling again. Others are asked with `options.ask`, or not at all. */
  readonly rounds?: Rounds;
}

export interface CallToolDependencies {
  readonly surfaces: Surfaces;
  readonly rates: RateLimits;
  readonly policy: PolicyEngine;
  readonly validator: Validator;
  readonly events: EventLog;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly held: HeldCalls;
  readonly recordArguments: ArgumentsRecorder;
  readonly outputCheck: 'off' | 'warn' | 'refuse';
  readonly clock: Clock;
}

export type CallTool = (call: ToolCall) => Promise<CallResult>;

/** Resolve, decide, validate, record, authenticate, execute, guard. Whatever happens is recorded, and nothing happens unrecorded. */
export function createCallTool(deps: CallToolDependencies): CallTool {
  return async function callTool(call) {
    const { agent, args, rounds } = call;
    let entry: ToolEntry | undefined;
    let decision: Decision | undefined;
    let claimed: HeldCall | undefined;
    let confirmed: string | undefined;
    try {
      // What continues a call was counted when the call began.
      if (rounds?.state === undefined) deps.rates.require(agent.id, call.exposedName);
      else claimed = claimHeld(deps.held, agent.id, rounds);
      entry = deps.surfaces.surfaceFor(agent, call.scope).findTool(call.exposedName);
      if (entry === undefined) throw new HubError('unknown_tool', 'Unknown tool');
      decision = decide(deps.policy, agent, entry, args);
      if (decision.kind !== 'allow')
        ({ decision, confirmed } = await requirePermission(deps.policy, decision, call, entry, claimed));
      requireValid(deps.validator, entry, args);
    } catch (error) {
      if (claimed !== undefined) void claimed.end(new HubError('cancelled', 'the call was not continued'));
      // Something thrown that is no error is no refusal: the client is being asked, and the call comes again with the answer.
      if (error instanceof Error) recordRefusal(deps.events, call, entry, decision, error);
      throw error;
    }
    if (rounds === undefined) return execute(deps, call, entry, decision);
    const [found, decided] = [entry, decision];
    const kept = confirmed === undefined ? {} : { confirmed };
    const { options } = call;
    const target = `tools/call\n${found.connector.id}\n${found.tool.name}`;
    const carried = { held: deps.held, owner: agent.id, target, rounds, options, claimed, state: kept };
    return carryByRounds(carried, (line, continued) =>
      execute(deps, { ...call, options: line }, found, decided, { rounds, kept, target, continued }),
    );
  };
}

function decide(
  policy: PolicyEngine,
  agent: Agent,
  { connector, tool }: ToolEntry,
  args: JsonObject | undefined,
): Decision {
  const flags = flagsOf(tool);
  const tags = [...connector.tags, ...(connector.toolTags[tool.name] ?? [])];
  return policy.decide({
    agent,
    action: 'call',
    connector,
    target: { kind: 'tool', name: tool.name, risk: riskOf(flags, tags), tags, annotations: flags },
    args: args ?? {},
  });
}

/** A call is made as the policy says now: after a wait for consent that may be something else than before. */
async function requirePermission(
  policy: PolicyEngine,
  decision: Decision,
  call: ToolCall,
  entry: ToolEntry,
  claimed: HeldCall | undefined,
): Promise<{ decision: Decision; confirmed?: string }> {
  if (decision.kind === 'allow') return { decision };
  if (decision.kind === 'deny')
    throw new HubError('policy_denied', `Policy denies this call: ${decision.reason}`, {
      details: { reason: decision.reason },
    });
  const { version } = policy;
  const confirmed = await requireConfirmation(policy, decision, call, entry, claimed !== undefined);
  if (policy.version === version) return { decision, confirmed };
  return requirePermission(policy, decide(policy, call.agent, entry, call.args), call, entry, claimed);
}

function requireValid(validator: Validator, { tool }: ToolEntry, args: JsonObject | undefined): void {
  const problems = validator.problems(tool.inputSchema, args ?? {});
  if (problems.length > 0)
    throw new HubError('arguments_invalid', `Invalid arguments: ${problems.join('; ')}`, {
      details: { problems },
    });
}

async function execute(
  deps: CallToolDependencies,
  call: ToolCall,
  entry: ToolEntry,
  decision: Decision,
  passage?: Passage,
): Promise<CallResult> {
  const { connector, tool } = entry;
  const actor = actorOf(call);
  const continued = passage?.continued;
  const facts = {
    callId: continued?.callId ?? call.callId,
    connector: connector.id,
    target: tool.name,
    exposedName: call.exposedName,
    method: 'tools/call',
  } as const;
  const startedAt = continued?.startedAt ?? deps.clock.monotonic();
  if (continued === undefined) await intend(deps, call, actor, facts, decision);
  let outcome: CallOutcome = 'ok';
  let failure: { error?: HubError['code'] } = {};
  let seen: { resultBytes?: number; warnings?: readonly string[] } = {};
  /** Its caller comes again; only then it can end. */
  let isOpen = false;
  try {
    const access = await deps.credentials.accessFor(connector, call.agent.id);
    const lease = await deps.upstreams.open(connector, access, callerOf(call));
    try {
      const answer =
        passage === undefined
          ? await lease.upstream.callTool(tool.name, call.args, relayedBy(lease, call, connector))
          : await nextRound(deps, { call, entry, lease, passage, actor, facts, startedAt });
      const guarded = guard(deps, entry, answer);
      seen = {
        resultBytes: guarded.bytes,
        ...(guarded.warnings.length > 0 && { warnings: guarded.warnings }),
      };
      if (guarded.result.isError === true) outcome = 'tool_error';
      return guarded.result;
    } finally {
      lease.release();
    }
  } catch (error) {
    if (error instanceof Suspended) isOpen = true;
    else ({ outcome, ...failure } = failureOf(error));
    throw error;
  } finally {
    const durationMs = deps.clock.monotonic() - startedAt;
    if (!isOpen)
      deps.events.append(actor, {
        type: 'call.finished',
        ...facts,
        outcome,
        ...failure,
        durationMs,
        ...seen,
      });
  }
}

function intend(
  { events, recordArguments }: CallToolDependencies,
  { args, options }: ToolCall,
  actor: Actor,
  facts: CallFacts,
  { policies }: Decision,
): Promise<void> {
  const trace = options.meta?.['traceparent'];
  return events.intend(actor, {
    type: 'call.intended',
    ...facts,
    arguments: recordArguments(args),
    policies,
    ...(typeof trace === 'string' && { trace }),
  });
}

/** What a call by rounds needs beyond the call itself. */
interface Passage {
  readonly rounds: Rounds;
  /** What stays known from round to round. */
  readonly kept: JsonObject;
  readonly target: string;
  readonly continued: OpenRound | undefined;
}

interface RoundInit {
  readonly call: ToolCall;
  readonly entry: ToolEntry;
  readonly lease: Lease;
  readonly passage: Passage;
  readonly actor: Actor;
  readonly facts: CallFacts;
  readonly startedAt: number;
}

/** One round of a call. Where the upstream wants to know more, the call stays open and its caller is sent for it. */
async function nextRound(deps: CallToolDependencies, init: RoundInit): Promise<CallResult> {
  const { call, entry, lease, passage, actor, facts, startedAt } = init;
  const { connector, tool } = entry;
  const params = { name: tool.name, ...(call.args !== undefined && { arguments: call.args }) };
  const options = relayedBy(lease, call, connector);
  try {
    const result = await askByRounds(lease.upstream, 'tools/call', params, options, passage.rounds);
    return result as unknown as CallResult;
  } catch (error) {
    if (!(error instanceof NextRound)) throw error;
    const open = new OpenRound(
      { owner: call.agent.id, target: passage.target, callId: facts.callId, startedAt },
      (ending) => {
        const durationMs = deps.clock.monotonic() - startedAt;
        deps.events.append(actor, { type: 'call.finished', ...facts, ...ending, durationMs });
      },
    );
    const requests = relayedQuestions(error.requests, connector, call.scope);
    const next = new NextRound(requests, error.state);
    const sentAway: unknown = keepOpen(deps.held, next, passage.rounds, passage.kept, open);
    throw sentAway;
  }
}

/** The options of a call whose caller may be asked; those of all others as they are. */
function relayedBy(lease: Lease, call: ToolCall, connector: Connector): UpstreamOptions {
  const { options } = call;
  return options.ask === undefined
    ? options
    : relayedOptions(options, options.ask, lease, { ...call, connector });
}

interface Guarded {
  readonly result: CallResult;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** Where the hub says what it changed or noticed. */
const WARNINGS = 'crosspoint/warnings';

/** Size, and where a tool promises a shape, that shape. */
function guard(deps: CallToolDependencies, { connector, tool }: ToolEntry, answer: CallResult): Guarded {
  const { result, bytes, warnings, tooLarge } = guardResult(answer, connector.limits.resultBytes);
  if (tooLarge)
    throw new HubError(
      'result_too_large',
      `The result has ${bytes} bytes; ${connector.limits.resultBytes} are allowed`,
    );
  const problems = deps.outputCheck === 'off' ? [] : outputProblems(deps.validator, tool, answer);
  if (problems.length > 0 && deps.outputCheck === 'refuse') {
    throw new HubError(
      'output_invalid',
      `The upstream's result does not match its own schema: ${problems.join('; ')}`,
    );
  }
  const all = [...warnings, ...problems.map((problem) => `output schema: ${problem}`)];
  if (all.length === 0) return { result, bytes, warnings: all };
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return { result: { ...result, _meta: { ...meta, [WARNINGS]: all } }, bytes, warnings: all };
}

function outputProblems(
  validator: Validator,
  { outputSchema }: ToolEntry['tool'],
  answer: CallResult,
): readonly string[] {
  if (outputSchema === undefined || answer.isError === true) return [];
  return answer.structuredContent === undefined
    ? ['structured content is missing']
    : validator.problems(outputSchema, answer.structuredContent);
}

function recordRefusal(
  events: EventLog,
  call: ToolCall,
  entry: ToolEntry | undefined,
  decision: Decision | undefined,
  error: Error,
): void {
  const { outcome, error: code = 'internal' } = failureOf(error);
  events.append(actorOf(call), {
    type: 'call.refused',
    callId: call.callId,
    exposedName: call.exposedName.slice(0, 200),
    method: 'tools/call',
    outcome,
    error: code,
    ...(entry !== undefined && { connector: entry.connector.id }),
    ...(decision !== undefined && { policies: decision.policies }),
  });
}

/** The signal is only asked for where somebody has to wait: making one costs something. */
function callerOf({ agent, options, session, asks }: ToolCall): Caller {
  return {
    principal: agent.id,
    session,
    asks,
    get signal() {
      return options.signal;
    },
  };
}

function actorOf({ agent, admin }: ToolCall): Actor {
  return admin === undefined ? { kind: 'agent', id: agent.id } : { kind: 'agent', id: agent.id, admin };
}

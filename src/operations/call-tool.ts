import { randomUUID } from 'node:crypto';
import type { ToolEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import { isSignInRequired, type Access, type AccessProvider } from '../credentials/index.js';
import {
  type Actor,
  type ArgumentsRecorder,
  type CallFacts,
  type CallOutcome,
  type Decision,
  type EventLog,
  type PolicyEngine,
  type Validator,
} from '../governance/index.js';
import { HubError, toCallId, type Clock } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { isEnded, type CallResult, type TaskWish } from '../mcp/model/index.js';
import type { Upstreams } from '../upstreams/index.js';
import type { AccountDesk } from './account-desk.js';
import type { UpstreamRequest } from './agent-request.js';
import type { BridgeLosses } from './bridge-losses.js';
import { requireConfirmation } from './confirmation.js';
import { createDecide, type DecideCall } from './decide-call.js';
import { failureOf } from './failure-of.js';
import { guardAnswer, type Guarded } from './guard-answer.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import type { RateLimits } from './rate-limits.js';
import type { MakeOnce, RepeatedCalls } from './repeated-calls.js';
import { recordRefusal, type RefusedRequest } from './record-refusal.js';
import { requireRenewed } from './require-renewed.js';
import { finishedEvent, intendedEvent, NO_FAILURE, type Failure } from './call-events.js';
import { carryByRounds, claimHeld } from './rounds.js';
import { sendCall, type Passage } from './send-call.js';
import { Suspended } from './suspended.js';
import type { Surfaces } from './surfaces.js';
import { keepAsTask, withRoom } from './tasks/call-as-task.js';
import { begunCall } from './tasks/task-request.js';
import { TaskBegun } from './tasks/task-begun.js';
import type { TaskDesk } from './tasks/task-desk.js';

export interface ToolCall extends UpstreamRequest {
  /** Who makes the agent call, where it does not call itself. */
  readonly admin?: string;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
  /** For callers that can follow a task, how. They may get `TaskBegun` thrown instead of a result. */
  readonly tasks?: TaskWish | undefined;
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
  readonly accounts: AccountDesk;
  readonly losses: BridgeLosses;
  readonly tasks: Pick<TaskDesk, 'begin' | 'keep' | 'hasRoom'>;
  readonly clock: Clock;
  /** Where clients may name calls, so that one that comes again is recognised. */
  readonly repeats?: RepeatedCalls | undefined;
}

export type CallTool = (call: ToolCall) => Promise<CallResult>;

/** Resolve, decide, validate, record, authenticate, execute, guard. Whatever happens is recorded, and nothing happens unrecorded. */
export function createCallTool(deps: CallToolDependencies): CallTool {
  const decide = createDecide(deps.policy);
  return async function callTool(given) {
    let call = given;
    const { agent, args, rounds, watch } = call;
    let entry: ToolEntry | undefined;
    let decision: Decision | undefined;
    let access: Access | undefined;
    let claimed: HeldCall | undefined;
    let confirmed: string | undefined;
    let repeat: CallResult | MakeOnce | undefined;
    try {
      // What continues a call was counted when the call began.
      if (rounds?.state === undefined) {
        const counted = deps.rates.require(agent.id, call.exposedName);
        if (counted !== undefined) await counted;
      } else claimed = await claimHeld(deps.held, agent.id, rounds);
      entry = deps.surfaces.surfaceFor(agent, call.scope).findTool(call.exposedName);
      if (entry === undefined) throw new HubError('unknown_tool', 'Unknown tool');
      watch?.begins('policy');
      decision = decide(call, entry);
      watch?.decided(decision);
      if (decision.kind !== 'allow')
        ({ decision, confirmed } = await requirePermission(
          deps.policy,
          decide,
          decision,
          call,
          entry,
          claimed,
        ));
      watch?.begins('validation');
      requireValid(deps.validator, entry, args);
      if (claimed === undefined) deps.upstreams.requireRoom(entry.connector, agent.id);
      if (call.tasks !== undefined) call = await withRoom(deps, call, entry);
      // Asked for before anything is written down: a client may have to send the whole call again to answer.
      if (entry.connector.auth.type === 'oauth') access = await requireAccount(deps, call, entry.connector);
      if (deps.repeats !== undefined && claimed === undefined) repeat = await deps.repeats.begin(call, entry);
    } catch (error) {
      if (claimed !== undefined) void claimed.end(new HubError('cancelled', 'the call was not continued'));
      // Something thrown that is no error is no refusal: the client is being asked, and the call comes again with the answer.
      if (error instanceof Error) recordRefusal(deps.events, toRefused(call, entry, decision, error));
      throw error;
    }
    if (repeat !== undefined && typeof repeat !== 'function') return repeat;
    if (rounds === undefined && access === undefined && repeat === undefined)
      return await execute(deps, call, entry, decision, undefined);
    const [found, decided, prepared] = [entry, decision, { access, claimed, confirmed }];
    return repeat === undefined
      ? make(deps, call, found, decided, prepared)
      : repeat((options) => make(deps, { ...call, options }, found, decided, prepared));
  };
}

function make(
  deps: CallToolDependencies,
  call: ToolCall,
  entry: ToolEntry,
  decision: Decision,
  prepared: Preparation,
): Promise<CallResult> {
  const running = carry(deps, call, entry, decision, prepared);
  return prepared.access === undefined
    ? running
    : afterSignIn(deps, call, entry, decision, running, prepared.confirmed);
}

async function requireAccount(
  deps: CallToolDependencies,
  call: ToolCall,
  connector: Connector,
): Promise<Access> {
  call.watch?.begins('credential');
  try {
    return await deps.credentials.accessFor(connector, call.agent.id);
  } catch (error) {
    await deps.accounts.ask(call, connector, error);
    return deps.credentials.accessFor(connector, call.agent.id);
  }
}

/** An upstream that wants more rights refuses the call unexecuted. Whoever grants them has it made. */
async function afterSignIn(
  deps: CallToolDependencies,
  call: ToolCall,
  entry: ToolEntry,
  decision: Decision,
  running: Promise<CallResult>,
  confirmed: string | undefined,
): Promise<CallResult> {
  try {
    return await running;
  } catch (error) {
    if (!isSignInRequired(error)) throw error;
    await deps.accounts.ask(call, entry.connector, error);
    return carry(deps, { ...call, callId: toCallId(randomUUID()) }, entry, decision, { confirmed });
  }
}

/** What was found out before a call is made. */
interface Preparation {
  readonly access?: Access | undefined;
  readonly claimed?: HeldCall | undefined;
  readonly confirmed: string | undefined;
}

/** Makes the call, or goes on with one whose caller was away for an answer. */
function carry(
  deps: CallToolDependencies,
  call: ToolCall,
  entry: ToolEntry,
  decision: Decision,
  { access, claimed, confirmed }: Preparation,
): Promise<CallResult> {
  const { agent, callId, options, rounds } = call;
  if (rounds === undefined) return execute(deps, call, entry, decision, access);
  const kept = confirmed === undefined ? {} : { confirmed };
  const connector = entry.connector.id;
  const target = `tools/call\n${connector}\n${entry.tool.name}`;
  const { held, losses } = deps;
  const whose = { held, losses, owner: agent.id, connector, callId };
  const carried = { ...whose, target, rounds, options, claimed, state: kept };
  return carryByRounds(carried, (line, continued) =>
    execute(deps, { ...call, options: line }, entry, decision, access, { rounds, kept, target, continued }),
  );
}

/** A call is made as the policy says now: after a wait for consent that may be something else than before. */
async function requirePermission(
  policy: PolicyEngine,
  decide: DecideCall,
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
  call.watch?.begins('confirmation');
  const confirmed = await requireConfirmation(policy, decision, call, entry, claimed !== undefined);
  if (policy.version === version) return { decision, confirmed };
  call.watch?.begins('policy');
  return requirePermission(policy, decide, decide(call, entry), call, entry, claimed);
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
  known: Access | undefined,
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
  let failure: Failure = NO_FAILURE;
  let seen: Guarded | undefined;
  /** Its caller comes again; only then it can end. */
  let isOpen = false;
  try {
    if (known === undefined) call.watch?.begins('credential');
    const found = known ?? deps.credentials.accessFor(connector, call.agent.id);
    const access = found instanceof Promise ? await found : found;
    for (let renewed = false; ; renewed = true) {
      const shown = access.headers;
      try {
        const answer = await sendCall(deps, access, { call, entry, passage, actor, facts, startedAt });
        if (answer.isError === true) call.watch?.failed('tool_error');
        call.watch?.begins('guard');
        const guarded = guardAnswer(deps, entry, answer);
        seen = guarded;
        if (guarded.result.isError === true) outcome = 'tool_error';
        if (call.tasks?.wanted !== true) return guarded.result;
        await keepAsTask(deps, begunCall(call, entry, facts.callId, access), guarded.result);
      } catch (error) {
        await requireRenewed(deps.credentials, { connector, access, shown, renewed, error });
      }
    }
  } catch (error) {
    if (error instanceof Suspended) isOpen = true;
    else if (error instanceof TaskBegun) isOpen = !isEnded(error.task.status);
    else {
      ({ outcome, ...failure } = failureOf(error));
      call.watch?.failed(failure.error ?? outcome);
    }
    throw error;
  } finally {
    call.watch?.begins('outcome');
    const durationMs = deps.clock.monotonic() - startedAt;
    if (!isOpen) deps.events.append(actor, finishedEvent(facts, outcome, failure, durationMs, seen));
  }
}

function intend(
  { events, recordArguments }: CallToolDependencies,
  { args, options, watch }: ToolCall,
  actor: Actor,
  facts: CallFacts,
  { policies }: Decision,
): Promise<void> {
  watch?.begins('intent');
  const trace = options.meta?.['traceparent'];
  const intent = intendedEvent(facts, recordArguments(args), policies);
  return events.intend(actor, typeof trace === 'string' ? { ...intent, trace } : intent);
}

function toRefused(
  call: ToolCall,
  entry: ToolEntry | undefined,
  decision: Decision | undefined,
  refusal: Error,
): RefusedRequest {
  const { callId, exposedName } = call;
  const known = { connector: entry?.connector.id, policies: decision?.policies };
  return { actor: actorOf(call), callId, method: 'tools/call', exposedName, refusal, ...known };
}

function actorOf({ agent, admin }: ToolCall): Actor {
  return admin === undefined ? { kind: 'agent', id: agent.id } : { kind: 'agent', id: agent.id, admin };
}

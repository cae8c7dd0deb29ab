import { randomUUID } from 'node:crypto';
import type { ToolEntry } from '../catalog/index.js';
import { isSignInRequired, type Access, type AccessProvider } from '../credentials/index.js';
import {
  type Actor,
  type ArgumentsRecorder,
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
import { CallRecord } from './call-record.js';
import { createCallPolicy, findEntry, type CallPolicy, type Permission } from './call-policy.js';
import { answeredCode, failureOf, type Ending } from './failure-of.js';
import { keptSeen, type FlowBook } from './flow-book.js';
import { guardAnswer, type Guarded } from './guard-answer.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import type { RateLimits } from './rate-limits.js';
import type { MakeOnce, RepeatedCalls } from './repeated-calls.js';
import { recordRefusal, type RefusedRequest } from './record-refusal.js';
import { requireRenewed } from './require-renewed.js';
import { carryByRounds, claimHeld, type Passage } from './rounds.js';
import { sendCall } from './send-call.js';
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
  readonly flows: Pick<FlowBook, 'seenBy' | 'note'>;
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

/** A call that may be made, and what was found out about it. */
export interface ClearedCall {
  readonly call: ToolCall;
  readonly entry: ToolEntry;
  readonly decision: Decision;
  /** What it was decided with; undefined where no policy looks back. */
  readonly seen: readonly string[] | undefined;
  /** Where it had to be there before anything was written down. */
  readonly access: Access | undefined;
  /** What consent was given for. */
  readonly confirmed: string | undefined;
  /** Of a call whose caller is asked by rounds. */
  readonly passage: Passage | undefined;
}

type Parts = CallToolDependencies & { readonly rules: CallPolicy };

/** Resolve, decide, validate, record, authenticate, execute, guard. Whatever happens is recorded, and nothing happens unrecorded. */
export function createCallTool(deps: CallToolDependencies): CallTool {
  return toCallTool({ ...deps, rules: createCallPolicy(deps.policy, deps.flows, deps.surfaces) });
}

function toCallTool(deps: Parts): CallTool {
  const { rules, surfaces } = deps;
  return async function callTool(asked) {
    let call = asked;
    const { agent, args, rounds, watch } = call;
    let entry: ToolEntry | undefined;
    let decision: Decision | undefined;
    let seen: readonly string[] | undefined;
    let access: Access | undefined;
    let claimed: HeldCall | undefined;
    let confirmed: string | undefined;
    let repeat: CallResult | MakeOnce | undefined;
    try {
      entry = findEntry(surfaces, call);
      // What continues a call was counted when the call began.
      if (rounds?.state === undefined) {
        const counted = deps.rates.require(agent.id, countedAs(entry, call));
        if (counted !== undefined) {
          await counted;
          entry = findEntry(surfaces, call);
        }
      } else {
        claimed = await claimHeld(deps.held, agent.id, rounds);
        entry = findEntry(surfaces, call);
      }
      if (entry === undefined) throw new HubError('unknown_tool', 'Unknown tool');
      watch?.begins('policy');
      const looking = deps.flows.seenBy(call);
      if (looking !== undefined) seen = await looking;
      decision = rules.decide(call, entry, seen);
      watch?.decided(decision);
      if (decision.kind !== 'allow') {
        const isContinued = claimed !== undefined;
        const first = { entry, decision, seen };
        ({ entry, decision, seen, confirmed } = await rules.requirePermission(first, call, isContinued));
      }
      watch?.begins('validation');
      requireValid(deps.validator, entry, args);
      if (claimed === undefined) deps.upstreams.requireRoom(entry.connector, agent.id);
      if (call.tasks !== undefined) call = await withRoom(deps, call, entry);
      // Asked for before anything is written down: a client may have to send the whole call again to answer.
      if (entry.connector.auth.type === 'oauth') {
        const permission = { entry, decision, seen, confirmed, isContinued: claimed !== undefined };
        ({ entry, decision, seen, confirmed, access } = await requireAccount(deps, call, permission));
      }
      if (deps.repeats !== undefined && claimed === undefined) {
        const used = entry;
        repeat = await deps.repeats.begin(call, used, () => deps.flows.note(asked, used, seen));
      }
    } catch (error) {
      if (claimed !== undefined) void claimed.end(new HubError('cancelled', 'the call was not continued'));
      // Something thrown that is no error is no refusal: the client is being asked, and the call comes again with the answer.
      if (error instanceof Error) recordRefusal(deps.events, toRefused(call, entry, decision, error));
      throw error;
    }
    if (repeat !== undefined && typeof repeat !== 'function') return repeat;
    const cleared: ClearedCall = { call, entry, decision, seen, access, confirmed, passage: undefined };
    return await makeOnce(deps, cleared, claimed, repeat);
  };
}

/** A tool is one, by whatever name and at whatever endpoint it is called; two of the same name are two. */
function countedAs(entry: ToolEntry | undefined, { exposedName }: ToolCall): string {
  return entry === undefined ? exposedName : `${entry.connector.id}\n${entry.tool.name}`;
}

function makeOnce(
  deps: Parts,
  cleared: ClearedCall,
  claimed: HeldCall | undefined,
  once: MakeOnce | undefined,
): Promise<CallResult> {
  if (once === undefined) return make(deps, cleared, claimed);
  return once((options) => make(deps, { ...cleared, call: { ...cleared.call, options } }, claimed));
}

function make(deps: Parts, cleared: ClearedCall, claimed: HeldCall | undefined): Promise<CallResult> {
  const running = carry(deps, cleared, claimed);
  return cleared.access === undefined ? running : afterSignIn(deps, cleared, running);
}

/** Whoever signed in meanwhile took their time: the call is made as policies say now. */
async function requireAccount(
  deps: Parts,
  call: ToolCall,
  { isContinued, ...permission }: Permission & { readonly isContinued: boolean },
): Promise<Permission & { readonly access: Access }> {
  const { accounts, credentials } = deps;
  const { version } = deps.policy;
  const { connector } = permission.entry;
  call.watch?.begins('credential');
  try {
    return { ...permission, access: await credentials.accessFor(connector, call.agent.id) };
  } catch (error) {
    await accounts.ask(call, connector, error);
    const given = { ...permission, version, hasLeftTags: false };
    const now = await renewPermission(deps, given, call, isContinued);
    return { ...now, access: await credentials.accessFor(connector, call.agent.id) };
  }
}

/** A tool that is another one by now may take other arguments. */
async function renewPermission(
  { rules, validator }: Parts,
  given: Parameters<CallPolicy['renew']>[0],
  call: ToolCall,
  isContinued: boolean,
): Promise<Permission> {
  const now = await rules.renew(given, call, isContinued);
  if (now.entry !== given.entry) requireValid(validator, now.entry, call.args);
  return now;
}

/** An upstream that wants more rights refuses the call unexecuted. Whoever grants them has it made. */
async function afterSignIn(
  deps: Parts,
  cleared: ClearedCall,
  running: Promise<CallResult>,
): Promise<CallResult> {
  const { version } = deps.policy;
  try {
    return await running;
  } catch (error) {
    if (!isSignInRequired(error)) throw error;
    const { call, entry } = cleared;
    await deps.accounts.ask(call, entry.connector, error);
    const again = { ...call, callId: toCallId(randomUUID()) };
    const { confirmed, ...permitted } = await permitAgain(deps, { ...cleared, call: again }, version);
    return carry(deps, { ...cleared, ...permitted, confirmed, call: again, access: undefined }, undefined);
  }
}

async function permitAgain(
  deps: Parts,
  { call, ...permission }: ClearedCall,
  version: number,
): Promise<Permission> {
  try {
    return await renewPermission(deps, { ...permission, version, hasLeftTags: true }, call, false);
  } catch (error) {
    if (error instanceof Error)
      recordRefusal(deps.events, toRefused(call, permission.entry, undefined, error));
    throw error;
  }
}

/** Makes the call, or goes on with one whose caller was away for an answer. */
function carry(
  deps: CallToolDependencies,
  cleared: ClearedCall,
  claimed: HeldCall | undefined,
): Promise<CallResult> {
  const { call, entry, seen, confirmed } = cleared;
  const { agent, callId, options, rounds } = call;
  if (rounds === undefined) return execute(deps, cleared);
  const kept = { ...keptSeen(seen), ...(confirmed !== undefined && { confirmed }) };
  const connector = entry.connector.id;
  const target = `tools/call\n${connector}\n${entry.tool.name}`;
  const { held, losses } = deps;
  const whose = { held, losses, owner: agent.id, connector, callId };
  const carried = { ...whose, target, rounds, options, claimed, state: kept };
  return carryByRounds(carried, (line, continued) => {
    const passage = { rounds, kept, target, continued };
    return execute(deps, { ...cleared, call: { ...call, options: line }, passage });
  });
}

function requireValid(validator: Validator, { tool }: ToolEntry, args: JsonObject | undefined): void {
  const problems = validator.problems(tool.inputSchema, args ?? {});
  if (problems.length > 0)
    throw new HubError('arguments_invalid', `Invalid arguments: ${problems.join('; ')}`, {
      details: { problems },
    });
}

const OK: Ending = { outcome: 'ok' };
const TOOL_ERROR: Ending = { outcome: 'tool_error' };

async function execute(deps: CallToolDependencies, cleared: ClearedCall): Promise<CallResult> {
  const { call, entry, decision, passage } = cleared;
  const { connector, tool } = entry;
  const { callId, exposedName, watch } = call;
  const facts = { callId, connector: connector.id, target: tool.name, exposedName, method: 'tools/call' };
  const record = new CallRecord(deps, actorOf(call), facts, passage?.continued);
  if (passage?.continued === undefined) {
    watch?.begins('intent');
    try {
      await record.intend(call.args, decision.policies, call.options);
    } catch (error) {
      record.refuse(error, decision.policies);
      throw error;
    }
  }
  /** Undefined where its caller comes again: only then it can end. */
  let ending: Ending | undefined = OK;
  let guarded: Guarded | undefined;
  try {
    const noting = deps.flows.note(call, entry, cleared.seen);
    if (noting !== undefined) await noting;
    if (cleared.access === undefined) watch?.begins('credential');
    const found = cleared.access ?? deps.credentials.accessFor(connector, call.agent.id);
    const access = found instanceof Promise ? await found : found;
    for (let renewed = false; ; renewed = true) {
      const shown = access.headers;
      try {
        const answer = await sendCall(deps, cleared, record, access);
        if (answer.isError === true) watch?.failed('tool_error');
        watch?.begins('guard');
        guarded = guardAnswer(deps, entry, answer);
        if (guarded.result.isError === true) ending = TOOL_ERROR;
        if (call.tasks?.wanted !== true) return guarded.result;
        await keepAsTask(deps, begunCall(call, entry, record.callId, access), guarded.result);
      } catch (error) {
        await requireRenewed(deps.credentials, { connector, access, shown, renewed, error });
      }
    }
  } catch (error) {
    if (error instanceof Suspended) ending = undefined;
    else if (error instanceof TaskBegun) ending = isEnded(error.task.status) ? ending : undefined;
    else {
      ending = failureOf(error);
      watch?.failed(ending.error ?? ending.outcome, answeredCode(error));
    }
    throw error;
  } finally {
    watch?.begins('outcome');
    if (ending !== undefined) record.finish(ending, guarded);
  }
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

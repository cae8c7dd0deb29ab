import { randomUUID } from 'node:crypto';
import type { Agent } from '../agents/index.js';
import type { SurfaceScope, ToolEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import { isSignInRequired, type Access, type AccessProvider } from '../credentials/index.js';
import {
  flagsOf,
  guardResult,
  riskOf,
  type Actor,
  type ArgumentsRecorder,
  type CallOutcome,
  type Decision,
  type EventLog,
  type PolicyEngine,
  type Validator,
} from '../governance/index.js';
import { HubError, toCallId, type CallId, type Clock } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';
import type { Caller, UpstreamOptions, Upstreams } from '../upstreams/index.js';
import type { AccountDesk, VisitPage } from './account-desk.js';
import { failureOf } from './failure-of.js';
import type { RateLimits } from './rate-limits.js';
import { requireRenewed } from './require-renewed.js';
import type { Surfaces } from './surfaces.js';

export interface ToolCall {
  readonly callId: CallId;
  readonly agent: Agent;
  /** Who makes the agent call, where it does not call itself. */
  readonly admin?: string;
  readonly scope: SurfaceScope;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
  readonly options: UpstreamOptions;
  /** Asks whoever is behind the client; false when they say no, undefined when they cannot be asked. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
  /** Sends them to a page; false when they say no, undefined when they cannot be sent. */
  readonly visit: VisitPage;
}

export interface CallToolDependencies {
  readonly surfaces: Surfaces;
  readonly rates: RateLimits;
  readonly policy: PolicyEngine;
  readonly validator: Validator;
  readonly events: EventLog;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly recordArguments: ArgumentsRecorder;
  readonly outputCheck: 'off' | 'warn' | 'refuse';
  readonly accounts: AccountDesk;
  readonly clock: Clock;
}

export type CallTool = (call: ToolCall) => Promise<CallResult>;

/** Resolve, decide, validate, record, authenticate, execute, guard. Whatever happens is recorded, and nothing happens unrecorded. */
export function createCallTool(deps: CallToolDependencies): CallTool {
  return async function callTool(call) {
    const { agent, args } = call;
    let entry: ToolEntry | undefined;
    let decision: Decision | undefined;
    let access: Access | undefined;
    try {
      deps.rates.require(agent.id, call.exposedName);
      entry = deps.surfaces.surfaceFor(agent, call.scope).findTool(call.exposedName);
      if (entry === undefined) throw new HubError('unknown_tool', 'Unknown tool');
      decision = decide(deps.policy, agent, entry, args);
      await requirePermission(decision, call);
      requireValid(deps.validator, entry, args);
      // Asked for before anything is written down: a client may have to send the whole call again to answer.
      if (entry.connector.auth.type === 'oauth') access = await requireAccount(deps, call, entry.connector);
    } catch (error) {
      // Something thrown that is no error is no refusal: the client is being asked, and the call comes again with the answer.
      if (error instanceof Error) recordRefusal(deps.events, call, entry, decision, error);
      throw error;
    }
    const running = execute(deps, call, entry, decision, access);
    return access === undefined ? running : afterSignIn(deps, call, entry, decision, running);
  };
}

async function requireAccount(
  deps: CallToolDependencies,
  call: ToolCall,
  connector: Connector,
): Promise<Access> {
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
): Promise<CallResult> {
  try {
    return await running;
  } catch (error) {
    if (!isSignInRequired(error)) throw error;
    await deps.accounts.ask(call, entry.connector, error);
    return execute(deps, { ...call, callId: toCallId(randomUUID()) }, entry, decision, undefined);
  }
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

async function requirePermission(decision: Decision, call: ToolCall): Promise<void> {
  if (decision.kind === 'deny')
    throw new HubError('policy_denied', `Policy denies this call: ${decision.reason}`, {
      details: { reason: decision.reason },
    });
  if (decision.kind === 'allow') return;
  const confirmed = await call.confirm(`${decision.reason} Call ${call.exposedName}?`);
  if (confirmed === true) return;
  throw confirmed === undefined
    ? new HubError(
        'confirmation_required',
        `This call needs confirmation (${decision.reason}), and the client cannot ask for it`,
      )
    : new HubError('policy_denied', 'The call was not confirmed', { details: { reason: 'not confirmed' } });
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
): Promise<CallResult> {
  const { connector, tool } = entry;
  const actor = actorOf(call);
  const facts = {
    callId: call.callId,
    connector: connector.id,
    target: tool.name,
    exposedName: call.exposedName,
    method: 'tools/call',
  } as const;
  const startedAt = deps.clock.monotonic();
  await deps.events.intend(actor, {
    type: 'call.intended',
    ...facts,
    arguments: deps.recordArguments(call.args),
    policies: decision.policies,
    ...(typeof call.options.meta?.['traceparent'] === 'string' && {
      trace: call.options.meta['traceparent'],
    }),
  });
  let outcome: CallOutcome = 'ok';
  let failure: { error?: HubError['code'] } = {};
  let seen: { resultBytes?: number; warnings?: readonly string[] } = {};
  try {
    const access = known ?? (await deps.credentials.accessFor(connector, call.agent.id));
    for (let renewed = false; ; renewed = true) {
      const shown = access.headers;
      try {
        const lease = await deps.upstreams.open(connector, access, callerOf(call));
        try {
          const answer = await lease.upstream.callTool(tool.name, call.args, call.options);
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
        await requireRenewed(deps.credentials, { connector, access, shown, renewed, error });
      }
    }
  } catch (error) {
    ({ outcome, ...failure } = failureOf(error));
    throw error;
  } finally {
    const durationMs = deps.clock.monotonic() - startedAt;
    deps.events.append(actor, { type: 'call.finished', ...facts, outcome, ...failure, durationMs, ...seen });
  }
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
function callerOf({ agent, options }: ToolCall): Caller {
  return {
    principal: agent.id,
    get signal() {
      return options.signal;
    },
  };
}

function actorOf({ agent, admin }: ToolCall): Actor {
  return admin === undefined ? { kind: 'agent', id: agent.id } : { kind: 'agent', id: agent.id, admin };
}

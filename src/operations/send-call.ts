import type { ToolEntry } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import type { Actor, CallFacts, EventLog } from '../governance/index.js';
import type { Clock } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';
import type { Caller, Lease, UpstreamOptions, Upstreams } from '../upstreams/index.js';
import type { BridgeLosses } from './bridge-losses.js';
import type { ToolCall } from './call-tool.js';
import type { HeldCalls } from './held-calls.js';
import { relayedOptions, relayedQuestions } from './relayed-question.js';
import { askByRounds, keepOpen, NextRound } from './rounds.js';
import { OpenRound } from './open-round.js';
import type { Rounds } from './suspended.js';

export interface SendCallDependencies {
  readonly upstreams: Upstreams;
  readonly held: HeldCalls;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly losses: BridgeLosses;
}

/** What a call by rounds needs beyond the call itself. */
export interface Passage {
  readonly rounds: Rounds;
  /** What stays known from round to round. */
  readonly kept: JsonObject;
  readonly target: string;
  readonly continued: OpenRound | undefined;
}

/** One call on its way. */
export interface Sending {
  readonly call: ToolCall;
  readonly entry: ToolEntry;
  readonly passage: Passage | undefined;
  readonly actor: Actor;
  readonly facts: CallFacts;
  readonly startedAt: number;
}

export async function sendCall(
  deps: SendCallDependencies,
  access: Access,
  sending: Sending,
): Promise<CallResult> {
  const { call, entry, passage } = sending;
  call.watch?.begins('connect');
  const lease = await deps.upstreams.open(entry.connector, access, callerOf(call));
  call.watch?.begins('upstream');
  try {
    if (passage !== undefined) return await nextRound(deps, sending, passage, lease);
    return await lease.upstream.callTool(
      entry.tool.name,
      call.args,
      relayedBy(deps, lease, call, entry.connector),
    );
  } finally {
    lease.release();
  }
}

/** One round of a call. Where the upstream wants to know more, the call stays open and its caller is sent for it. */
async function nextRound(
  deps: SendCallDependencies,
  { call, entry, actor, facts, startedAt }: Sending,
  passage: Passage,
  lease: Lease,
): Promise<CallResult> {
  const { connector, tool } = entry;
  const params = { name: tool.name, ...(call.args !== undefined && { arguments: call.args }) };
  const options = relayedBy(deps, lease, call, connector);
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
function relayedBy(
  { losses }: SendCallDependencies,
  lease: Lease,
  call: ToolCall,
  connector: Connector,
): UpstreamOptions {
  const { options } = call;
  return options.ask === undefined
    ? options
    : relayedOptions(options, options.ask, lease, { ...call, connector }, losses);
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

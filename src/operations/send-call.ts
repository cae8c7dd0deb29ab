import type { ToolEntry } from '../catalog/index.js';
import type { Access } from '../credentials/index.js';
import { taskSupportOf, type CallResult, type TaskWish } from '../mcp/model/index.js';
import {
  changedOptions,
  type Caller,
  type Lease,
  type UpstreamOptions,
  type Upstreams,
} from '../upstreams/index.js';
import type { BridgeLosses } from './bridge-losses.js';
import type { CallRecord } from './call-record.js';
import type { ClearedCall, ToolCall } from './call-tool.js';
import type { OutgoingRequest } from './call-watch.js';
import type { HeldCalls } from './held-calls.js';
import { relayedOptions, relayedQuestions } from './relayed-question.js';
import { AnsweredTask, askByRounds, keepOpen, NextRound, type Passage } from './rounds.js';
import type { TaskDesk } from './tasks/task-desk.js';
import { begunCall } from './tasks/task-request.js';
import { hearOfRefusal } from './url-questions.js';

export interface SendCallDependencies {
  readonly upstreams: Upstreams;
  readonly held: HeldCalls;
  readonly losses: BridgeLosses;
  readonly tasks: Pick<TaskDesk, 'begin'>;
}

export async function sendCall(
  deps: SendCallDependencies,
  cleared: ClearedCall,
  record: CallRecord,
  access: Access,
): Promise<CallResult> {
  const { call, entry, passage } = cleared;
  call.watch?.begins('connect');
  const opened = deps.upstreams.open(entry.connector, access, new CallingAgent(call));
  const lease = opened instanceof Promise ? await opened : opened;
  call.watch?.begins('upstream', requestOf(entry));
  let isKept = false;
  try {
    if (passage !== undefined) return await nextRound(deps, cleared, passage, record, lease);
    const { name } = entry.tool;
    const options = relayedBy(deps, lease, call, entry);
    if (call.tasks === undefined) return await lease.upstream.callTool(name, call.args, options);
    const started = await lease.upstream.startTool(name, call.args, options);
    if ('result' in started) return started.result;
    const answered: unknown = new AnsweredTask(started.task);
    throw answered;
  } catch (error) {
    hearOfRefusal(lease.upstream, call.options, error);
    if (!(error instanceof AnsweredTask)) throw error;
    isKept = true;
    const begun = begunCall(call, entry, record.callId, access);
    const handle: unknown = await deps.tasks.begin(begun, error.task, lease);
    throw handle;
  } finally {
    if (!isKept) lease.release();
  }
}

function requestOf({ connector, tool }: ToolEntry): OutgoingRequest {
  return { connector, method: 'tools/call', target: tool.name };
}

/** One round of a call. Where the upstream wants to know more, the call stays open and its caller is sent for it. */
async function nextRound(
  deps: SendCallDependencies,
  { call, entry }: ClearedCall,
  passage: Passage,
  record: CallRecord,
  lease: Lease,
): Promise<CallResult> {
  const { connector, tool } = entry;
  const params = { name: tool.name, ...(call.args !== undefined && { arguments: call.args }) };
  const options = relayedBy(deps, lease, call, entry);
  try {
    const result = await askByRounds(
      lease.upstream,
      'tools/call',
      params,
      options,
      passage.rounds,
      call.tasks !== undefined,
    );
    return result as unknown as CallResult;
  } catch (error) {
    if (!(error instanceof NextRound)) throw error;
    const next = new NextRound(relayedQuestions(error.requests, connector, call.scope), error.state);
    const open = record.toOpenRound(call.agent.id, passage.target);
    const sentAway: unknown = keepOpen(deps.held, passage, next, open);
    throw sentAway;
  }
}

/** The options of a call whose caller may be asked; those of all others as they are. */
function relayedBy(
  { losses }: SendCallDependencies,
  lease: Lease,
  call: ToolCall,
  entry: ToolEntry,
): UpstreamOptions {
  const { connector } = entry;
  const asTask = asTaskFor(entry, call.tasks);
  // What has to be a task is followed for callers who cannot do so themselves.
  const options =
    asTask === undefined ? call.options : changedOptions(call.options, { asTask, withoutTasks: false });
  return options.ask === undefined
    ? options
    : relayedOptions(options, options.ask, lease, { ...call, connector }, losses);
}

/** How much longer than its call a task has to stay known where we wait for it. */
const GRACE_MS = 60_000;

/** Where the caller decides: what has to be a task is one, and what may be one is where somebody follows it. */
function asTaskFor({ tool, connector }: ToolEntry, wish: TaskWish | undefined): UpstreamOptions['asTask'] {
  if (tool['execution'] === undefined) return undefined;
  const support = taskSupportOf(tool);
  if (support === 'forbidden' || (support === 'optional' && wish === undefined)) return undefined;
  if (wish === undefined) return { ttlMs: connector.timeouts.totalMs + GRACE_MS };
  return wish.ttlMs === undefined ? {} : { ttlMs: wish.ttlMs };
}

class CallingAgent implements Caller {
  readonly principal: Caller['principal'];
  readonly session: string | undefined;
  readonly asks: Caller['asks'];
  readonly #options: UpstreamOptions;

  constructor({ agent, options, session, asks }: ToolCall) {
    this.principal = agent.id;
    this.session = session;
    this.asks = asks;
    this.#options = options;
  }

  onAbort(listener: () => void): void {
    const options = this.#options;
    if (options.onAbort !== undefined) options.onAbort(listener);
    else if (options.signal?.aborted === true) listener();
    else options.signal?.addEventListener('abort', listener, { once: true });
  }
}

import type { Agent } from '../../agents/index.js';
import type { ToolEntry } from '../../catalog/index.js';
import type { Access, AccessProvider } from '../../credentials/index.js';
import type { EventLog } from '../../governance/index.js';
import type { Connector } from '../../connectors/index.js';
import {
  HubError,
  type CallId,
  type Clock,
  type Logger,
  type Switchboard,
  type TaskRecord,
  type TaskStore,
} from '../../kernel/index.js';
import type { ClientCapabilities, Task, TaskState, TaskWish } from '../../mcp/model/index.js';
import type { AskProfile, UpstreamOptions, Upstreams } from '../../upstreams/index.js';
import type { AgentRequest } from '../agent-request.js';
import type { ToolCall } from '../call-tool.js';
import type { FlowBook } from '../flow-book.js';
import type { GuardAnswerDependencies } from '../guard-answer.js';
import type { RateLimits } from '../rate-limits.js';
import { relayedQuestions } from '../relayed-question.js';
import type { Surfaces } from '../surfaces.js';
import type { KeptResultsParts } from './kept-results.js';

export interface TaskDependencies extends GuardAnswerDependencies {
  readonly store: TaskStore;
  readonly tickets: KeptResultsParts['tickets'];
  /** Where other replicas may follow tasks. */
  readonly board?: Switchboard;
  readonly surfaces: Surfaces;
  readonly flows: Pick<FlowBook, 'note'>;
  readonly credentials: AccessProvider;
  readonly upstreams: Pick<Upstreams, 'open'>;
  readonly rates: RateLimits;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Who asks about a task, and where. */
export interface TaskRequest extends AgentRequest {
  readonly capabilities: ClientCapabilities;
  readonly onAbort?: UpstreamOptions['onAbort'];
}

/** A call that becomes a task. */
export interface BegunCall {
  readonly agent: Agent;
  readonly entry: ToolEntry;
  readonly session: string | undefined;
  readonly asks: AskProfile | undefined;
  readonly callId: CallId;
  readonly exposedName: string;
  /** Whose credential it was made with. */
  readonly owner: string;
  readonly wish: TaskWish;
}

/** A task, and the tool it is about. */
export interface KnownTask {
  readonly record: TaskRecord;
  readonly entry: ToolEntry;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextCursor?: string;
}

/** The tool that a task is about, where it belongs to the agent and the agent sees the tool here. */
export function findTool(
  { surfaces }: Pick<TaskDependencies, 'surfaces'>,
  { agent, scope }: TaskRequest,
  record: TaskRecord,
): ToolEntry | undefined {
  if (record.agent !== agent.id) return undefined;
  return surfaces.surfaceFor(agent, scope).findToolOf(record.connector, record.tool);
}

/** What lets its agent into the upstream of a task, where it is what the task was begun with. */
export async function accessTo(
  deps: Pick<TaskDependencies, 'surfaces' | 'credentials'>,
  agent: Agent,
  record: TaskRecord,
  entry: ToolEntry,
): Promise<{ readonly connector: Connector; readonly access: Access }> {
  // The description of now: an older one is refused.
  const now = findTool(deps, { agent, scope: { kind: 'all' }, capabilities: {} }, record);
  const { connector } = now ?? entry;
  const access = await deps.credentials.accessFor(connector, agent.id);
  if (access.owner !== record.owner) throw new HubError('not_found', 'Unknown task');
  return { connector, access };
}

/** What has to be known of a call when it becomes a task. */
export function begunCall(
  call: Pick<ToolCall, 'agent' | 'session' | 'asks' | 'exposedName' | 'tasks'>,
  entry: ToolEntry,
  callId: CallId,
  { owner }: Access,
): BegunCall {
  const { agent, session, asks, exposedName, tasks: wish = { wanted: false } } = call;
  return { agent, entry, session, asks, callId, exposedName, owner, wish };
}

/** As the caller of this request sees it: questions say who asks where that is not clear. */
export function shown(state: TaskState, { entry }: KnownTask, { scope }: TaskRequest): TaskState {
  const { inputRequests, ...rest } = state;
  if (inputRequests === undefined) return state;
  return { ...rest, inputRequests: relayedQuestions(inputRequests, entry.connector, scope) };
}

/** What its caller knows it by. */
export function handleOf({ id, createdAt, updatedAt, expiresAt }: TaskRecord) {
  return {
    taskId: id,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: expiresAt - createdAt,
  };
}

export type BegunTask = Pick<Task, 'status' | 'ttlMs' | 'pollIntervalMs'>;

/** What is kept of a task that begins now. */
export function recordOf(
  { agent, entry, callId, exposedName, owner }: BegunCall,
  { id, upstreamId, now, longestMs }: RecordFacts,
  { status, ttlMs, pollIntervalMs }: BegunTask,
): TaskRecord {
  return {
    id,
    agent: agent.id,
    connector: entry.connector.id,
    owner,
    upstreamId,
    tool: entry.tool.name,
    exposedName,
    callId,
    status,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + Math.min(ttlMs ?? longestMs, longestMs),
    pollMs: pollIntervalMs,
    finished: false,
  };
}

interface RecordFacts {
  readonly id: string;
  readonly upstreamId: string | undefined;
  readonly now: number;
  readonly longestMs: number;
}

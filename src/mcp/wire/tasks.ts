import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  isEnded,
  isTaskStatus,
  supportsTasks,
  TASKS_EXTENSION,
  type InputRequests,
  type ServerCapabilities,
  type Task,
  type TaskState,
  type TaskWish,
} from '../model/index.js';
import { META_RELATED_TASK, metaOf, withMeta } from './meta.js';
import { readModernResult } from './modern-result.js';
import { hasLegacyTasks, type LegacyRevision } from './revisions.js';

/** A modern task as received, or why it is none. */
export function readTask(value: Json): TaskState | string {
  const task = readCommon(value, 'ttlMs', 'pollIntervalMs');
  if (typeof task === 'string') return task;
  const whole = isObject(value) ? value : {};
  switch (task.status) {
    case 'input_required': {
      const inputRequests = readQuestions(whole);
      return typeof inputRequests === 'string' ? inputRequests : { ...task, inputRequests };
    }
    case 'completed': {
      const read = readModernResult('tools/call', whole['result'] ?? null, false);
      return read.type === 'complete'
        ? { ...task, result: read.result }
        : 'the result of a task must be a complete result';
    }
    case 'failed': {
      const { error } = whole;
      const { code, message, data } = isObject(error) ? error : {};
      if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string')
        return 'a failed task must say why';
      return { ...task, error: { code, message, ...(data !== undefined && { data }) } };
    }
    default:
      return task;
  }
}

/** A task as the answer to a call. One that had ended by then is asked how: only answers about it have to say so. */
export function readTaskHandle(value: Json): TaskState | string {
  const state = readTask(value);
  if (typeof state !== 'string') return state;
  const task = readCommon(value, 'ttlMs', 'pollIntervalMs');
  return typeof task !== 'string' && isEnded(task.status) ? { ...task, status: 'working' } : state;
}

/** The same rules hold as for a request for input of the call itself. */
function readQuestions(value: JsonObject): InputRequests | string {
  const { inputRequests = {} } = value;
  const read = readModernResult(
    'tools/call',
    { inputRequests, resultType: 'input_required', requestState: '' },
    false,
  );
  return read.type === 'input_required' ? read.requests : 'a task asks for something unknown';
}

/** A task of a legacy server, from `{ task }` or from an answer about one. Its outcome is asked for separately. */
export function readLegacyTask(value: Json | undefined): Task | string {
  return readCommon(value ?? null, 'ttl', 'pollInterval');
}

function readCommon(value: Json, ttlMember: string, pollMember: string): Task | string {
  if (!isObject(value)) return 'a task must be an object';
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = value;
  const { [ttlMember]: ttl, [pollMember]: poll } = value;
  if (typeof taskId !== 'string' || taskId === '') return 'a task needs a taskId';
  if (!isTaskStatus(status)) return 'a task has an unknown status';
  const created = typeof createdAt === 'string' ? createdAt : new Date(0).toISOString();
  return {
    taskId,
    status,
    ...(typeof statusMessage === 'string' && { statusMessage }),
    createdAt: created,
    lastUpdatedAt: typeof lastUpdatedAt === 'string' ? lastUpdatedAt : created,
    ttlMs: isTime(ttl) ? ttl : null,
    ...(isTime(poll) && { pollIntervalMs: poll }),
  };
}

function isTime(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The handle that stands for the result of a call in the modern era. */
export function writeTask(task: Task): JsonObject {
  return { resultType: 'task', ...commonOf(task), ttlMs: task.ttlMs, ...pollOf(task, 'pollIntervalMs') };
}

/** The answer to a question about a task, in the modern era. */
export function writeTaskState(task: TaskState): JsonObject {
  const { inputRequests, result, error } = task;
  return {
    ...commonOf(task),
    ttlMs: task.ttlMs,
    ...pollOf(task, 'pollIntervalMs'),
    ...(task.status === 'input_required' && { inputRequests: (inputRequests ?? {}) as unknown as Json }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error: error as unknown as Json }),
  };
}

/** A task for a legacy client: there a tool that failed makes its task fail. */
export function toLegacyTask(task: TaskState): JsonObject {
  const failed = task.status === 'completed' && task.result?.['isError'] === true;
  return {
    ...commonOf(failed ? { ...task, status: 'failed' } : task),
    ttl: task.ttlMs,
    ...pollOf(task, 'pollInterval'),
  };
}

function commonOf({ taskId, status, statusMessage, createdAt, lastUpdatedAt }: Task): JsonObject {
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
  };
}

function pollOf({ pollIntervalMs }: Task, member: string): JsonObject {
  return pollIntervalMs === undefined ? {} : { [member]: pollIntervalMs };
}

/** Whether a legacy client wants its call to become a task. */
export function readTaskWish({ task }: JsonObject): TaskWish | undefined {
  if (!isObject(task)) return undefined;
  const { ttl } = task;
  return { wanted: true, ...(isTime(ttl) && { ttlMs: ttl }) };
}

/** Which task a message of a legacy server belongs to. */
export function relatedTask(params: JsonObject | undefined): string | undefined {
  const related = metaOf(params)?.[META_RELATED_TASK];
  const taskId = isObject(related) ? related['taskId'] : undefined;
  return typeof taskId === 'string' ? taskId : undefined;
}

export function withRelatedTask(value: JsonObject | undefined, taskId: string): JsonObject {
  return withMeta(value, { [META_RELATED_TASK]: { taskId } });
}

export function withoutRelatedTask(value: JsonObject): JsonObject {
  const meta = metaOf(value);
  if (meta?.[META_RELATED_TASK] === undefined) return value;
  const { [META_RELATED_TASK]: _related, ...kept } = meta;
  const { _meta, ...rest } = value;
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}

/** What a server tells a legacy client of itself: tasks have a place of their own there, or none. */
export function toLegacyCapabilities(
  capabilities: ServerCapabilities,
  revision: LegacyRevision,
): ServerCapabilities {
  if (!supportsTasks(capabilities)) return capabilities;
  const { extensions = {}, tasks: _, ...rest } = capabilities;
  const { [TASKS_EXTENSION]: __, ...others } = extensions;
  return {
    ...rest,
    ...(Object.keys(others).length > 0 && { extensions: others }),
    ...(hasLegacyTasks(revision) && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  };
}

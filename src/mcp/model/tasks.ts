import { isObject, type ErrorObject, type JsonObject } from '../jsonrpc/index.js';
import type { ClientCapabilities, ServerCapabilities } from './capabilities.js';
import type { InputRequests } from './interaction.js';
import type { Tool } from './offers.js';

/** The name of the extension for calls that go on after their answer. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof STATUSES)[number];

/** A call that goes on after its answer, as whoever made it can see it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** How long after its creation it stays known; null: for ever. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
}

/** With what its status brings along. */
export interface TaskState extends Task {
  /** Of `input_required`: everything that is not answered yet. */
  readonly inputRequests?: InputRequests;
  /** Of `completed`: what the call would have answered, a failure of the tool included. */
  readonly result?: JsonObject;
  /** Of `failed`: the error that the call would have answered. */
  readonly error?: ErrorObject;
}

/** How the maker of a request takes a task as its answer. */
export interface TaskWish {
  /** Whether nothing but a task will do; otherwise the server decides. */
  readonly wanted: boolean;
  /** For how long the task should stay known. */
  readonly ttlMs?: number;
}

export function isTaskStatus(value: unknown): value is TaskStatus {
  return (STATUSES as readonly unknown[]).includes(value);
}

export function isEnded(status: TaskStatus): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** Whether a client said that it can follow tasks. */
export function declaresTasks({ extensions }: ClientCapabilities): boolean {
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined;
}

/** Whether a server may make tasks of tool calls, in whichever way its era says so. */
export function supportsTasks({ extensions, tasks }: ServerCapabilities): boolean {
  if (isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined) return true;
  const requests = isObject(tasks) ? tasks['requests'] : undefined;
  const tools = isObject(requests) ? requests['tools'] : undefined;
  return isObject(tools) && tools['call'] !== undefined;
}

/** Whether calls of a tool can be, or have to be, asked for as tasks. Servers that decide themselves say nothing. */
export function taskSupportOf({ execution }: Tool): 'forbidden' | 'optional' | 'required' {
  const support = isObject(execution) ? execution['taskSupport'] : undefined;
  return support === 'optional' || support === 'required' ? support : 'forbidden';
}

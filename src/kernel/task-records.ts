import type { AgentId, CallId, ConnectorId } from './ids.js';

/**
 * A call that goes on at an upstream after its caller was given a handle. The handle is a name, not a key: whoever shows it
 * must also be the agent it was given to. Nothing in it is secret.
 */
export interface TaskRecord {
  readonly id: string;
  readonly agent: AgentId;
  readonly connector: ConnectorId;
  /** Whose credential it was begun with. */
  readonly owner: string;
  /** Its name at the upstream; undefined where the upstream had answered already. */
  readonly upstreamId: string | undefined;
  readonly tool: string;
  readonly exposedName: string;
  readonly callId: CallId;
  /** What was last heard of it. */
  readonly status: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  readonly pollMs: number | undefined;
  /** Whether its end was written down. */
  readonly finished: boolean;
}

export interface TaskPosition {
  readonly createdAt: number;
  readonly id: string;
}

export interface TaskStore {
  add(record: TaskRecord): Promise<void>;
  /** Undefined if it is not known or past its end. */
  find(id: string): Promise<TaskRecord | undefined>;
  /** Those of an agent that are not past their end, oldest first, after a position. */
  list(agent: AgentId, after: TaskPosition | undefined, limit: number): Promise<readonly TaskRecord[]>;
  /** How many an agent has, or all have, past their end or not. */
  count(agent?: AgentId): Promise<number>;
  /** What was heard of one that is not finished. */
  note(id: string, status: string): Promise<void>;
  /** True for exactly one caller, in whatever process: that one writes down how it ended. */
  finish(id: string, status: string): Promise<boolean>;
  /** The calls whose end is still to be written down. */
  openCalls(): Promise<readonly CallId[]>;
  /** Removes the oldest that is finished, of an agent or of all. */
  removeOldestFinished(agent?: AgentId): Promise<string | undefined>;
  /** Each of these hands a record to exactly one caller and removes it. */
  takeExpired(): Promise<readonly TaskRecord[]>;
  takeAllOf(agent: AgentId): Promise<readonly TaskRecord[]>;
  takeAllFor(connector: ConnectorId): Promise<readonly TaskRecord[]>;
}

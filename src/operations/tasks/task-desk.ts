import {
  HubError,
  randomToken,
  type AgentId,
  type ConnectorId,
  type TaskRecord,
} from '../../kernel/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import {
  isEnded,
  type CallResult,
  type InputRefusals,
  type InputResponses,
  type Task,
  type TaskState,
} from '../../mcp/model/index.js';
import type { Lease } from '../../upstreams/index.js';
import { guardAnswer } from '../guard-answer.js';
import { withRenewal } from '../require-renewed.js';
import { KeptResults } from './kept-results.js';
import { recordTaskEnd } from './record-task-end.js';
import { TaskBegun } from './task-begun.js';
import { readCursor, writeCursor } from './task-cursor.js';
import { LiveTask, type TaskEnding } from './live-task.js';
import { askLive, TasksElsewhere, type TaskAnswer, type TaskQuestion } from './tasks-elsewhere.js';
import {
  accessTo,
  findTool,
  handleOf,
  recordOf,
  shown,
  type BegunCall,
  type BegunTask,
  type KnownTask,
  type TaskDependencies,
  type TaskPage,
  type TaskRequest,
} from './task-request.js';

const PER_AGENT = 64;
const TOTAL = 10_000;
/** Also of those that their upstream would keep longer, or for ever. */
const LONGEST_TTL_MS = 86_400_000;
const PAGE = 50;
const SWEEP_MS = 30_000;
/** Of results that are kept for callers who have not asked for them yet. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Calls that became tasks. Each is known by a handle of ours, to the agent it was given to and to nobody else, as long as
 * the store keeps its record and the upstream knows it; so a handle is good after a restart too.
 */
export class TaskDesk {
  readonly #deps: TaskDependencies;
  readonly #live = new Map<string, LiveTask>();
  readonly #keptBytes = new Map<string, number>();
  readonly #results: KeptResults;
  readonly #sweeping: NodeJS.Timeout;
  readonly #elsewhere: TasksElsewhere | undefined;
  #kept = 0;

  constructor(deps: TaskDependencies) {
    this.#deps = deps;
    this.#results = new KeptResults(deps);
    this.#elsewhere = deps.board && new TasksElsewhere(deps.board, (id) => this.#live.get(id));
    this.#sweeping = setInterval(() => void this.sweep(), SWEEP_MS);
    this.#sweeping.unref();
  }

  /** Those that this process knows of. */
  get size(): number {
    return this.#live.size;
  }

  /** Looking at a task can reach its upstream as a call does, and counts like one. */
  async admit(agent: AgentId): Promise<void> {
    await this.#deps.rates.require(agent);
  }

  /** Whether an agent may have one more; what is over makes room. */
  async hasRoom(agent: AgentId): Promise<boolean> {
    return (await this.#makeRoom(PER_AGENT, agent)) && (await this.#makeRoom(TOTAL));
  }

  /** Takes a task of an upstream over. Its conversation is kept for it. */
  async begin(begun: BegunCall, task: Task, lease: Lease): Promise<TaskBegun> {
    // How it ended is told when it is looked at, not by its handle.
    const status = isEnded(task.status) ? 'working' : task.status;
    const record = this.#recordOf(begun, task.taskId, { ...task, status });
    const live = this.#liveOf(record, begun, { ...task, ...handleOf(record), status });
    live.hold(lease);
    try {
      await this.#deps.store.add(record);
    } catch (error) {
      this.#live.delete(record.id);
      await live.abandon();
      throw error;
    }
    live.start();
    return new TaskBegun(live.state);
  }

  /** Makes a task of a call that is over, for a caller that wants nothing else. */
  async keep(begun: BegunCall, result: CallResult): Promise<TaskBegun> {
    const ended = { status: 'completed', ttlMs: begun.wish.ttlMs ?? LONGEST_TTL_MS } as const;
    const record = { ...this.#recordOf(begun, undefined, ended), finished: true };
    await this.#deps.store.add(record);
    const state: TaskState = { ...ended, ...handleOf(record), result: result as JsonObject };
    await this.#results.keep(record, state);
    const live = this.#liveOf(record, begun, state);
    this.#remember(live, state);
    return new TaskBegun(live.state);
  }

  async get(request: TaskRequest, id: string): Promise<TaskState> {
    return (await this.#ask(request, id, { kind: 'look' })).now;
  }

  /** As soon as it has ended, or asks for something that is not among `known`. */
  async settled(request: TaskRequest, id: string, known: ReadonlySet<string>): Promise<TaskState> {
    return (await this.#ask(request, id, { kind: 'settled', known: [...known] })).now;
  }

  async update(
    request: TaskRequest,
    id: string,
    responses: InputResponses,
    refusals?: InputRefusals,
  ): Promise<void> {
    await this.#ask(request, id, { kind: 'update', responses, refusals });
  }

  /** What it was before, so that the caller can tell whether there was something to cancel. */
  async cancel(request: TaskRequest, id: string, final: boolean): Promise<{ before: Task; now: Task }> {
    const { now, before = now } = await this.#ask(request, id, { kind: 'cancel', final });
    return { before, now };
  }

  /** Those of the agent that can be seen here. */
  async list(request: TaskRequest, cursor: string | undefined): Promise<TaskPage> {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const records = await this.#deps.store.list(request.agent.id, after, PAGE);
    const last = records.at(-1);
    return {
      tasks: records.filter((record) => findTool(this.#deps, request, record)).map((one) => this.#told(one)),
      ...(last !== undefined && records.length === PAGE && { nextCursor: writeCursor(last) }),
    };
  }

  /** Tells of every change until the returned function is called; undefined where there is no such task. */
  async watch(
    request: TaskRequest,
    id: string,
    tell: (state: TaskState) => void,
  ): Promise<(() => void) | undefined> {
    try {
      const known = await this.#require(request, id);
      if (!this.#live.has(id)) await this.#recall(request, known);
      const told = (state: TaskState): void => {
        // Nobody hears of what it may not see any more.
        if (findTool(this.#deps, request, known.record) !== undefined) tell(shown(state, known, request));
      };
      return this.#watch(request, known, told);
    } catch (error) {
      if (error instanceof HubError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Forgets what is past its end. What became of it nobody knows then. */
  async sweep(): Promise<void> {
    const now = this.#deps.clock.now();
    try {
      await this.#forget(await this.#deps.store.takeExpired(), 'outcome_unknown');
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      this.#deps.logger.warn({ error: message }, 'old tasks could not be removed');
    }
    // Another process may have taken their records.
    for (const { record } of this.#live.values()) if (record.expiresAt <= now) this.#drop(record.id);
  }

  async removeAllOf(agent: AgentId): Promise<void> {
    await this.#forget(await this.#deps.store.takeAllOf(agent), 'cancelled');
  }

  async removeAllFor(connector: ConnectorId): Promise<void> {
    await this.#forget(await this.#deps.store.takeAllFor(connector), 'cancelled');
  }

  /** The tasks go on, and are known to the next process. */
  close(): void {
    clearInterval(this.#sweeping);
    this.#elsewhere?.close();
    const reason = new HubError('shutting_down', 'the hub is shutting down');
    for (const live of this.#live.values()) live.close(reason);
    this.#live.clear();
  }

  async #makeRoom(most: number, agent?: AgentId): Promise<boolean> {
    const { store } = this.#deps;
    if ((await store.count(agent)) < most) return true;
    const removed = await store.removeOldestFinished(agent);
    if (removed !== undefined) this.#drop(removed);
    if (removed !== undefined) await this.#results.remove(removed);
    return removed !== undefined;
  }

  /** Whoever is not its agent, or cannot see its tool here, learns nothing about it. */
  async #require(request: TaskRequest, id: string): Promise<KnownTask> {
    const record = this.#live.get(id)?.record ?? (await this.#deps.store.find(id));
    const entry = record && findTool(this.#deps, request, record);
    if (record === undefined || entry === undefined || record.expiresAt <= this.#deps.clock.now())
      throw new HubError('not_found', 'Unknown task');
    // It may be told to another conversation than the one that began it.
    const noting = this.#deps.flows.note(request, entry);
    if (noting !== undefined) await noting;
    return { record, entry };
  }

  /** Of whoever follows it; here, where nobody does. */
  async #ask(request: TaskRequest, id: string, question: TaskQuestion): Promise<TaskAnswer> {
    const known = await this.#require(request, id);
    const followed = this.#live.get(id);
    const elsewhere = followed === undefined ? await this.#elsewhere?.ask(id, request, question) : undefined;
    if (followed === undefined && elsewhere === undefined) await this.#recall(request, known);
    const answer = elsewhere ?? (await askLive(this.#adopt(request, known), question, request));
    return { ...answer, now: shown(answer.now, known, request) };
  }

  /** One that had ended when an earlier process knew it. */
  async #recall({ agent, session, asks }: TaskRequest, { record, entry }: KnownTask): Promise<void> {
    const state = await this.#results.find(record);
    if (state === undefined || this.#live.has(record.id)) return;
    this.#remember(
      this.#liveOf(record, { agent, session, asks, entry }, { ...state, ...handleOf(record) }),
      state,
    );
  }

  #watch(request: TaskRequest, known: KnownTask, told: (state: TaskState) => void): () => void {
    const { id, agent } = known.record;
    const here = (): (() => void) => this.#adopt(request, known).watch(told);
    if (this.#live.has(id)) return here();
    let stop: (() => void) | undefined;
    const lost = (): void => {
      try {
        stop = here();
      } catch {
        // Nobody knows it any more.
      }
    };
    stop = this.#elsewhere?.watch({ id, agent }, told, lost) ?? here();
    return () => stop?.();
  }

  /** One of an earlier process, unless it is followed here already. What the upstream had answered then may be gone. */
  #adopt({ agent, session, asks }: TaskRequest, { record, entry }: KnownTask): LiveTask {
    const followed = this.#live.get(record.id);
    if (followed !== undefined) return followed;
    if (record.upstreamId === undefined) throw new HubError('not_found', 'Unknown task');
    const { pollMs, status, finished } = record;
    const begun = { agent, session, asks, entry };
    const live = this.#liveOf(record, begun, {
      ...handleOf(record),
      // How it ended otherwise, its upstream can say.
      status: finished && status === 'cancelled' ? 'cancelled' : 'working',
      ttlMs: record.expiresAt - record.createdAt,
      ...(pollMs !== undefined && { pollIntervalMs: pollMs }),
    });
    live.start();
    return live;
  }

  #liveOf(
    record: TaskRecord,
    { agent, entry, session, asks }: Pick<BegunCall, 'agent' | 'entry' | 'session' | 'asks'>,
    state: TaskState,
  ): LiveTask {
    const { credentials, upstreams } = this.#deps;
    const live = new LiveTask(record, entry, state, {
      open: async () => {
        const { connector, access } = await accessTo(this.#deps, agent, record, entry);
        return upstreams.open(connector, access, { principal: agent.id, session, asks });
      },
      admitted: async (work) => {
        const { connector, access } = await accessTo(this.#deps, agent, record, entry);
        return withRenewal(credentials, connector, access, work);
      },
      guard: (tool, result) => guardAnswer(this.#deps, tool, result),
      changed: (task, { status }) => {
        if (!task.hasEnded) void this.#deps.store.note(record.id, status).catch(() => {});
      },
      ended: async (task, ended, ending) => {
        const isNews = await this.#deps.store.finish(record.id, ended.status);
        if (this.#live.get(record.id) === task) this.#remember(task, ended);
        if (isNews) recordTaskEnd(this.#deps, record, ending);
        if (isNews) await this.#results.keep(record, ended);
      },
      lost: async (task) => {
        if (await this.#deps.store.finish(record.id, 'failed'))
          recordTaskEnd(this.#deps, record, { outcome: 'outcome_unknown' });
        this.#drop(task.record.id);
      },
    });
    this.#live.set(record.id, live);
    return live;
  }

  #recordOf(begun: BegunCall, upstreamId: string | undefined, task: BegunTask): TaskRecord {
    const id = (this.#elsewhere?.self ?? randomToken(9)) + randomToken(15);
    return recordOf(begun, { id, upstreamId, now: this.#deps.clock.now(), longestMs: LONGEST_TTL_MS }, task);
  }

  /** Ended tasks answer from here. Where that is too much, the oldest are asked for at their upstream again. */
  #remember({ record }: LiveTask, { result }: TaskState): void {
    const bytes = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result));
    this.#kept += bytes - (this.#keptBytes.get(record.id) ?? 0);
    this.#keptBytes.set(record.id, bytes);
    for (const id of this.#keptBytes.keys()) {
      if (this.#kept <= MOST_KEPT_BYTES || id === record.id) return;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    this.#kept -= this.#keptBytes.get(id) ?? 0;
    this.#keptBytes.delete(id);
    this.#live.get(id)?.close();
    this.#live.delete(id);
  }

  async #forget(records: readonly TaskRecord[], outcome: TaskEnding['outcome']): Promise<void> {
    const forget = async (record: TaskRecord): Promise<void> => {
      if (outcome === 'cancelled') await this.#live.get(record.id)?.abandon();
      if (outcome === 'cancelled') await this.#results.remove(record.id);
      this.#drop(record.id);
      if (!record.finished) recordTaskEnd(this.#deps, record, { outcome });
    };
    await Promise.all(records.map(forget));
  }

  #told(record: TaskRecord): TaskState {
    const live = this.#live.get(record.id);
    if (live !== undefined) return live.state;
    const status = record.status as Task['status'];
    return { ...handleOf(record), status, ttlMs: record.expiresAt - record.createdAt };
  }
}

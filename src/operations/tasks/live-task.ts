import type { ToolEntry } from '../../catalog/index.js';
import { HubError, type TaskRecord } from '../../kernel/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import {
  isEnded,
  type CallResult,
  type InputRefusals,
  type InputResponses,
  type TaskState,
} from '../../mcp/model/index.js';
import type { Lease, UpstreamOptions, UpstreamTask } from '../../upstreams/index.js';
import { failureOf, type Ending } from '../failure-of.js';
import type { Guarded } from '../guard-answer.js';

/** How a task ended, as it is written down. */
export interface TaskEnding extends Ending {
  readonly resultBytes?: number;
  readonly warnings?: readonly string[];
}

export interface LiveTaskParts {
  /** A conversation with the upstream, as the agent. */
  readonly open: () => Promise<Lease>;
  /** Does what asks the upstream, once more where a token had to be renewed for it. */
  readonly admitted: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly guard: (entry: ToolEntry, result: CallResult) => Guarded;
  /** What was heard of it is something else than before. */
  readonly changed: (task: LiveTask, state: TaskState) => void;
  readonly ended: (task: LiveTask, state: TaskState, ending: TaskEnding) => Promise<void>;
  /** The upstream does not know it any more. */
  readonly lost: (task: LiveTask) => Promise<void>;
}

const DEFAULT_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 30_000;
const PATIENCE = 1.5;
/** For how long an upstream is waited for that is told that nobody wants a task. */
const ABANDON_MS = 5_000;
/** Codes by which an upstream says that there is no such task, or that it knows of none at all. */
const UNKNOWN = new Set<unknown>([-32_602, -32_601]);

/**
 * One task while this process knows of it. It keeps the conversation it was begun in, looks at the task now and then, also
 * when nobody asks, and remembers its end: then the upstream is not needed any more.
 */
export class LiveTask {
  readonly record: TaskRecord;
  readonly entry: ToolEntry;
  readonly #parts: LiveTaskParts;
  readonly #watchers = new Set<(state: TaskState) => void>();
  /** Of those who wait for the end, how to tell them that they will not hear of it here. */
  readonly #waiting = new Set<(reason: HubError) => void>();
  #lease: Lease | undefined;
  #followed: UpstreamTask | undefined;
  #opening: Promise<UpstreamTask | undefined> | undefined;
  #letGo: (() => void) | undefined;
  #state: TaskState;
  #looking: Promise<TaskState> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unasked = 0;
  #closed = false;

  constructor(record: TaskRecord, entry: ToolEntry, state: TaskState, parts: LiveTaskParts) {
    this.record = record;
    this.entry = entry;
    this.#state = state;
    this.#parts = parts;
  }

  get state(): TaskState {
    return this.#state;
  }

  get hasEnded(): boolean {
    return isEnded(this.#state.status);
  }

  /** Keeps a conversation without taking a turn in it. */
  hold(lease: Lease): UpstreamTask {
    this.#lease = lease;
    this.#followed = lease.upstream.followTask(this.record.upstreamId ?? '');
    void lease.rest(() => new Promise<void>((resolve) => (this.#letGo = resolve)));
    return this.#followed;
  }

  /** Looks at it now and then from now on. */
  start(): void {
    if (!this.hasEnded) this.#later();
  }

  /** What it is now. Those who ask at the same time ask together. */
  async look(options: UpstreamOptions): Promise<TaskState> {
    if (this.hasEnded || this.#closed) return this.#state;
    this.#unasked = 0;
    return (this.#looking ??= this.#look(options).finally(() => (this.#looking = undefined)));
  }

  async update(responses: InputResponses, options: UpstreamOptions, refusals?: InputRefusals): Promise<void> {
    if (this.hasEnded) return;
    await (await this.#follow())?.update(responses, options, refusals);
    // What was seen before the answers were given counts no more.
    await this.#looking?.catch(() => {});
  }

  /** `final`: from now on it is over for its caller, whatever the upstream makes of it. */
  async cancel(options: UpstreamOptions, final: boolean): Promise<void> {
    if (this.hasEnded) return;
    await (await this.#follow())?.cancel(options);
    await this.#looking?.catch(() => {});
    const now = await this.look(options);
    if (final && !isEnded(now.status)) await this.#learn({ ...now, status: 'cancelled' });
  }

  /** The upstream is told, if it can be, that nobody wants the task. */
  async abandon(): Promise<void> {
    if (!this.hasEnded) {
      await this.#followed?.cancel({ signal: AbortSignal.timeout(ABANDON_MS) }).catch(() => {});
      if (!this.#closed) this.#tell({ ...this.#state, status: 'cancelled' });
    }
    this.close();
  }

  watch(watcher: (state: TaskState) => void): () => void {
    this.#watchers.add(watcher);
    if (!this.hasEnded) this.#later();
    return () => this.#watchers.delete(watcher);
  }

  /** As soon as it has ended or asks for something that `isNew`. */
  settled(
    options: UpstreamOptions,
    onAbort: UpstreamOptions['onAbort'],
    isNew: (state: TaskState) => boolean,
  ): Promise<TaskState> {
    return new Promise((resolve, reject) => {
      const stop = this.watch((state) => check(state));
      const fail = (error: Error): void => finish(() => reject(error));
      const finish = (settle: () => void): void => {
        stop();
        this.#waiting.delete(fail);
        settle();
      };
      const check = (state: TaskState): void => {
        const asks = Object.keys(state.inputRequests ?? {}).length > 0 && isNew(state);
        if (isEnded(state.status) || asks) finish(() => resolve(state));
      };
      if (this.#closed) return fail(new HubError('not_found', 'Unknown task'));
      this.#waiting.add(fail);
      onAbort?.(() => fail(new HubError('cancelled', 'the request was cancelled')));
      this.look(options).then(check, fail);
    });
  }

  /** What becomes of it is not known here any more; those who wait for its end are told why. */
  close(reason = new HubError('not_found', 'Unknown task')): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#release();
    for (const fail of this.#waiting) fail(reason);
    this.#watchers.clear();
  }

  async #look(options: UpstreamOptions): Promise<TaskState> {
    try {
      const seen = await this.#parts.admitted(async () => (await this.#follow())?.get(options));
      if (seen === undefined || this.#closed) return this.#state;
      await this.#learn(this.#named(seen));
      return this.#state;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      // The next attempt finds another conversation, unless somebody is asked something in this one.
      const isNeeded = this.#followed?.asks === true && error.code !== 'upstream_timeout';
      if (error.code !== 'cancelled' && !isNeeded) this.#release();
      if (error.details?.['taskEnded'] === true) {
        await this.#become(...refused(this.#state, error));
        return this.#state;
      }
      if (error.code !== 'upstream_rejected' || !UNKNOWN.has(error.details?.['rpcCode'])) throw error;
      await this.#parts.lost(this);
      throw new HubError('not_found', 'Unknown task', { cause: error });
    }
  }

  /** Those who need a conversation at the same time open one. Undefined where the task is over by the time that it is open. */
  async #follow(): Promise<UpstreamTask | undefined> {
    if (this.#followed !== undefined) return this.#followed;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<UpstreamTask | undefined> {
    const lease = await this.#parts.open();
    if (!this.#closed && !this.hasEnded) return this.hold(lease);
    lease.release();
    return undefined;
  }

  #named(seen: TaskState): TaskState {
    const { taskId, createdAt, ttlMs } = this.#state;
    return { ...seen, taskId, createdAt, ttlMs };
  }

  async #learn(seen: TaskState): Promise<void> {
    if (isEnded(seen.status)) await this.#become(...this.#judge(seen));
    else await this.#become(seen);
  }

  async #become(state: TaskState, ending?: TaskEnding): Promise<void> {
    const before = this.#state;
    if (isEnded(before.status)) return;
    // An end that cannot be written down is not known yet: the next look finds it again.
    if (ending !== undefined) await this.#parts.ended(this, state, ending);
    // Another end may have been written down meanwhile.
    if (this.hasEnded) return;
    this.#state = state;
    if (ending !== undefined) {
      clearTimeout(this.#timer);
      this.#release();
    }
    if (isSame(before, state)) return;
    this.#parts.changed(this, state);
    this.#tell(state);
  }

  #tell(state: TaskState): void {
    for (const watcher of this.#watchers) watcher(state);
  }

  /** A result is guarded as that of any call. What must not pass becomes a result that says so. */
  #judge(seen: TaskState): [TaskState, TaskEnding] {
    if (seen.status === 'cancelled') return [seen, { outcome: 'cancelled', error: 'cancelled' }];
    if (seen.result === undefined) return [seen, { outcome: 'failed', error: 'upstream_rejected' }];
    try {
      const guarded = this.#parts.guard(this.entry, seen.result as unknown as CallResult);
      const { result, bytes: resultBytes, warnings } = guarded;
      const outcome = result.isError === true ? 'tool_error' : 'ok';
      const facts = { outcome, resultBytes, ...(warnings.length > 0 && { warnings }) } as const;
      return [{ ...seen, result: result as JsonObject }, facts];
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return refused(seen, error);
    }
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const base = Math.max(SHORTEST_POLL_MS, this.#state.pollIntervalMs ?? DEFAULT_POLL_MS);
    const patient = this.#watchers.size > 0 ? base : base * PATIENCE ** this.#unasked++;
    this.#timer = setTimeout(
      () => {
        this.#looking ??= this.#look({}).finally(() => (this.#looking = undefined));
        // Whoever asks next is told what is wrong.
        void this.#looking.catch(() => {}).then(() => this.start());
      },
      Math.min(patient, LONGEST_POLL_MS),
    );
    this.#timer.unref();
  }

  #release(): void {
    this.#followed?.close();
    this.#letGo?.();
    this.#lease?.release();
    this.#followed = this.#letGo = this.#lease = undefined;
  }
}

/** The end of a task whose result does not pass. */
function refused(task: TaskState, error: HubError): [TaskState, TaskEnding] {
  const result = { content: [{ type: 'text', text: error.message }], isError: true };
  return [{ ...task, status: 'completed', result }, failureOf(error)];
}

/** Whether somebody who follows the task would learn nothing new. */
function isSame(before: TaskState, now: TaskState): boolean {
  const keys = (state: TaskState): string => Object.keys(state.inputRequests ?? {}).join('\n');
  return (
    before.status === now.status && before.statusMessage === now.statusMessage && keys(before) === keys(now)
  );
}

import { HubError, type AgentId, type AskedMore, type Switchboard } from '../../kernel/index.js';
import { parseJson, stringifyJson, TOLERANT_JSON, type JsonObject } from '../../mcp/jsonrpc/index.js';
import {
  isEnded,
  type ClientCapabilities,
  type InputRefusals,
  type InputResponses,
  type TaskState,
} from '../../mcp/model/index.js';
import { readFailure, writeFailure } from '../failure-between-replicas.js';
import type { LiveTask } from './live-task.js';
import type { TaskRequest } from './task-request.js';

const LINE = 'tasks';
/** No task lives longer; whoever has it is looked after meanwhile. */
const LONGEST_MS = 86_400_000;

/** What is asked about a task. */
export type TaskQuestion =
  | { readonly kind: 'look' }
  | { readonly kind: 'settled'; readonly known: readonly string[] }
  | {
      readonly kind: 'update';
      readonly responses: InputResponses;
      readonly refusals?: InputRefusals | undefined;
    }
  | { readonly kind: 'cancel'; readonly final: boolean };

/** How it was before, where something was to be changed, and how it is. */
export interface TaskAnswer {
  readonly before?: TaskState;
  readonly now: TaskState;
}

/** Of whom, and by whom. */
interface Addressed {
  readonly id: string;
  readonly agent: AgentId;
}
type Asked = Addressed &
  (
    | { readonly kind: 'watch' }
    | { readonly question: TaskQuestion; readonly capabilities: ClientCapabilities }
  );
type Answer = { readonly answer: TaskAnswer } | { readonly failure: JsonObject };

/**
 * Tasks that another replica follows: the one that began them, which is part of their names. Only its conversation may know
 * them: a program, of which each replica has its own, and a session of its own.
 */
export class TasksElsewhere {
  readonly #board: Switchboard;
  readonly #findLive: (id: string) => LiveTask | undefined;
  readonly #stop: () => void;

  /** `findLive`: those that this process follows. */
  constructor(board: Switchboard, findLive: (id: string) => LiveTask | undefined) {
    this.#board = board;
    this.#findLive = findLive;
    this.#stop = board.serve(LINE, { asked: (_, text, more) => this.#answer(read(text) as Asked, more) });
  }

  /** With which the names of the tasks begin that are begun here. */
  get self(): string {
    return this.#board.self;
  }

  close(): void {
    this.#stop();
  }

  /** Undefined where whoever began it is gone or about to go, or has forgotten it. */
  async ask(
    id: string,
    { agent, capabilities, onAbort }: TaskRequest,
    question: TaskQuestion,
  ): Promise<TaskAnswer | undefined> {
    const holder = this.#holderOf(id);
    if (holder === undefined) return undefined;
    const leaving = new AbortController();
    onAbort?.(() => leaving.abort());
    const text = await this.#board.ask(holder, LINE, write({ id, agent: agent.id, question, capabilities }), {
      timeoutMs: LONGEST_MS,
      signal: leaving.signal,
    });
    if (leaving.signal.aborted) throw new HubError('cancelled', 'the request was cancelled');
    if (text === undefined) await this.#requireGone(holder);
    if (text === undefined || text === '') return undefined;
    const answer = read(text) as Answer;
    if (!('failure' in answer)) return answer.answer;
    const failure = readFailure(answer.failure);
    // It leaves the task to others, of whom this may be the next.
    if (failure.code === 'shutting_down') return undefined;
    throw failure;
  }

  /**
   * Tells of every change until the returned function is called; `lost` is called where nobody there tells of it any more.
   * Undefined where it was begun here.
   */
  watch(
    { id, agent }: Addressed,
    tell: (state: TaskState) => void,
    lost: () => void,
  ): (() => void) | undefined {
    const holder = this.#holderOf(id);
    if (holder === undefined) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    let hasEnded = false;
    const onNote = (text: string): void => {
      const state = read(text) as TaskState;
      hasEnded = isEnded(state.status);
      if (!signal.aborted) tell(state);
    };
    const options = { timeoutMs: LONGEST_MS, signal, onNote };
    void this.#board
      .ask(holder, LINE, write({ id, agent, kind: 'watch' }), options)
      .then(async (text) => {
        if (text === undefined && !signal.aborted && !hasEnded) await this.#requireGone(holder);
        if (!signal.aborted && !hasEnded) lost();
      })
      // Nobody can tell; whoever asks about the task is told so.
      .catch(() => {});
    return () => leaving.abort();
  }

  #holderOf(id: string): string | undefined {
    const { self } = this.#board;
    const holder = id.slice(0, self.length);
    return holder === self ? undefined : holder;
  }

  /** To follow a task that another one follows would be to lose it, where only that one can. */
  async #requireGone(holder: string): Promise<void> {
    if (!(await this.#board.isGone(holder)))
      throw new HubError('storage_unavailable', 'The task cannot be looked at at the moment; try again');
  }

  async #answer(asked: Asked, { note, signal }: AskedMore): Promise<string> {
    const live = this.#findLive(asked.id);
    if (live?.record.agent !== asked.agent) return '';
    if (!('question' in asked)) {
      const stop = live.watch((state) => note(write(state)));
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      stop();
      return '';
    }
    const onAbort = (listener: () => void): void =>
      signal.addEventListener('abort', listener, { once: true });
    const { question, capabilities } = asked;
    try {
      return write({ answer: await askLive(live, question, { capabilities, onAbort }) });
    } catch (error) {
      return write({ failure: writeFailure(error) });
    }
  }
}

/** Asks where the task is followed. */
export async function askLive(
  live: LiveTask,
  question: TaskQuestion,
  { capabilities, onAbort }: Pick<TaskRequest, 'capabilities' | 'onAbort'>,
): Promise<TaskAnswer> {
  const options = { capabilities };
  switch (question.kind) {
    case 'look':
      return { now: await live.look(options) };
    case 'settled': {
      const isNew = ({ inputRequests = {} }: TaskState): boolean =>
        Object.keys(inputRequests).some((key) => !question.known.includes(key));
      return { now: await live.settled(options, onAbort, isNew) };
    }
    case 'update':
      await live.update(question.responses, options, question.refusals);
      return { now: live.state };
    case 'cancel': {
      const before = await live.look(options);
      await live.cancel(options, question.final);
      return { before, now: live.state };
    }
  }
}

function write(value: Asked | Answer | TaskState): string {
  return stringifyJson(value);
}

/** The switchboard vouches for whoever wrote it, so its shape is ours. */
function read(text: string): unknown {
  return parseJson(text, TOLERANT_JSON);
}

import {
  HubError,
  toCallId,
  type AgentId,
  type CallId,
  type Clock,
  type HubErrorCode,
  type AskedMore,
  type LineListener,
  type Switchboard,
} from '../kernel/index.js';
import { parseJson, stringifyJson, TOLERANT_JSON, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequests, InputResponses, LogMessage, Progress, Task } from '../mcp/model/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import type { Ending } from './failure-of.js';
import { readFailure, writeFailure } from './failure-between-replicas.js';
import type { Elsewhere, HeldCall, HeldCalls } from './held-calls.js';
import { OpenRound } from './open-round.js';
import { ParkedCall } from './parked-call.js';
import { Suspended } from './suspended.js';
import type { TakenCalls } from './taken-calls.js';
import { TaskBegun } from './tasks/task-begun.js';

const LINE = 'held';
const CLAIM_MS = 5_000;
/** How long a process that ends waits to hear what became of a round. */
const LEAVING_MS = 1_000;
/** No call may take longer; whoever makes it is looked after meanwhile. */
const LONGEST_MS = 86_400_000;
/** Whoever claims a call goes on with it at once, or is gone. */
const UNUSED_MS = 30_000;
/** How often whoever claimed a round is asked what became of it, where nothing was heard. */
const AGAIN_MS = 5_000;
/** How long either of the two waits to hear from the other. */
const UNHEARD_MS = 3_600_000;

type Asked =
  | { readonly kind: 'claim'; readonly id: string; readonly owner: AgentId }
  | { readonly kind: 'taken'; readonly claim: string }
  | { readonly kind: 'what_became'; readonly claim: string }
  | {
      readonly kind: 'attach';
      readonly claim: string;
      readonly responses: InputResponses;
      readonly progress: boolean;
      readonly log: boolean;
    };
interface Told {
  readonly kind: 'end';
  readonly claim: string;
  readonly code: HubErrorCode;
  readonly message: string;
}
type Claimed =
  | { readonly parked: string }
  | { readonly round: { readonly target: string; readonly callId: string; readonly elapsedMs: number } };
type Note = { readonly progress: Progress } | { readonly log: LogMessage };
type Outcome =
  | { readonly result: JsonObject }
  | { readonly requests: InputRequests; readonly state: JsonObject }
  | { readonly task: Task }
  | { readonly failure: JsonObject };

export interface HeldElsewhereOptions {
  readonly held: HeldCalls;
  readonly board: Switchboard;
  readonly taken: Pick<TakenCalls, 'note' | 'forget'>;
  readonly clock: Clock;
}

interface Mine {
  isTaken: boolean;
  /** When it is written down that it is here. */
  readonly noted: Promise<void>;
  readonly timer: NodeJS.Timeout;
}

/** Calls between two rounds whose caller comes back to another replica than the one that makes them. */
export class HeldElsewhere implements Elsewhere {
  readonly #options: HeldElsewhereOptions;
  /** Calls of ours that others have claimed. */
  readonly #claimed = new Map<
    string,
    { readonly call: HeldCall; readonly by: string; timer: NodeJS.Timeout }
  >();
  /** Rounds of others that were claimed here, until whoever held them knows what became of them. */
  readonly #mine = new Map<string, Mine>();
  readonly #stop: () => void;

  constructor(options: HeldElsewhereOptions) {
    this.#options = options;
    const listener: LineListener = {
      told: (_, text) => this.#told(read(text) as Told),
      asked: async (from, text, more) => this.#answer(from, read(text) as Asked, more),
    };
    this.#stop = options.board.serve(LINE, listener);
  }

  /** Undefined where it is not known any more, or not of this owner. */
  async claim(id: string, owner: AgentId): Promise<HeldCall | undefined> {
    const { board, clock } = this.#options;
    const { self } = board;
    const holder = id.slice(0, self.length);
    if (holder === self) return undefined;
    const answer = await board.ask(holder, LINE, write({ kind: 'claim', id, owner }), {
      timeoutMs: CLAIM_MS,
      // What cannot be claimed now is lost to its caller.
      patient: true,
    });
    if (answer === undefined || answer === '') return undefined;
    const claimed = read(answer) as Claimed;
    const tell = (told: Told): void => board.tell(holder, LINE, write(told));
    if ('parked' in claimed)
      return new DistantCall(owner, claimed.parked, {
        attach: (options, responses) => this.#carry(holder, id, options, responses),
        end: ({ code, message }) => tell({ kind: 'end', claim: id, code, message }),
      });
    const { target, elapsedMs } = claimed.round;
    const callId = toCallId(claimed.round.callId);
    if (!(await this.#note(id, callId))) return undefined;
    const init = { owner, target, callId, startedAt: clock.monotonic() - elapsedMs };
    const end = ({ error = 'cancelled' }: Ending): void => {
      this.#forget(id);
      // Where its holder is gone, too, the call is found unfinished.
      void this.#options.taken.forget(callId);
      tell({ kind: 'end', claim: id, code: error, message: '' });
    };
    return new OpenRound(init, end, () => void this.#taken(holder, id));
  }

  /** Rounds that others have are theirs to end. */
  async close(): Promise<void> {
    this.#stop();
    const reason = new HubError('shutting_down', 'the hub is shutting down');
    const claimed = [...this.#claimed];
    this.#claimed.clear();
    for (const { timer } of this.#mine.values()) clearTimeout(timer);
    this.#mine.clear();
    await Promise.all(
      claimed.map(async ([claim, { call, by, timer }]) => {
        clearTimeout(timer);
        if (!(call instanceof OpenRound)) return call.end(reason);
        // One that nobody answers for is found unfinished, unless it is written down who has it.
        const became = await this.#askWhatBecame(by, claim, LEAVING_MS);
        if (became === '') await call.end(reason);
      }),
    );
  }

  /** Written down before it goes on: whoever looks for calls of processes that are gone leaves it alone. */
  async #note(claim: string, callId: CallId): Promise<boolean> {
    const timer = setTimeout(() => this.#mine.delete(claim), UNHEARD_MS);
    timer.unref();
    const noted = this.#options.taken.note(callId);
    this.#mine.set(claim, { isTaken: false, noted, timer });
    try {
      await noted;
      return true;
    } catch {
      this.#forget(claim);
      return false;
    }
  }

  async #answer(from: string, asked: Asked, more: AskedMore): Promise<string> {
    switch (asked.kind) {
      case 'claim':
        return this.#give(from, asked.id, asked.owner);
      case 'attach':
        return this.#attach(asked, more);
      case 'taken':
        this.#take(asked.claim);
        return '';
      case 'what_became': {
        await this.#mine.get(asked.claim)?.noted.catch(() => {});
        const mine = this.#mine.get(asked.claim);
        if (mine === undefined) return '';
        return mine.isTaken ? 'taken' : 'claimed';
      }
    }
  }

  /** Whoever held it is told, and asks where that was not heard: a call has one end, whoever writes it down. */
  async #taken(holder: string, claim: string): Promise<void> {
    const mine = this.#mine.get(claim);
    if (mine !== undefined) mine.isTaken = true;
    const heard = await this.#options.board.ask(holder, LINE, write({ kind: 'taken', claim }), {
      timeoutMs: CLAIM_MS,
      patient: true,
    });
    if (heard !== undefined) this.#forget(claim);
  }

  #forget(claim: string): void {
    clearTimeout(this.#mine.get(claim)?.timer);
    this.#mine.delete(claim);
  }

  async #carry(
    holder: string,
    claim: string,
    options: UpstreamOptions,
    responses: InputResponses,
  ): Promise<JsonObject> {
    const { onProgress, onLog } = options;
    const leaving = new AbortController();
    options.onAbort?.(() => leaving.abort());
    const wish = { progress: onProgress !== undefined, log: onLog !== undefined };
    const answer = await this.#options.board.ask(
      holder,
      LINE,
      write({ kind: 'attach', claim, responses, ...wish }),
      {
        timeoutMs: LONGEST_MS,
        signal: leaving.signal,
        onNote(text) {
          const note = read(text) as Note;
          if ('progress' in note) onProgress?.(note.progress);
          else onLog?.(note.log);
        },
      },
    );
    if (leaving.signal.aborted) throw new HubError('cancelled', 'the call was cancelled');
    if (answer === undefined)
      throw new HubError(
        'upstream_closed',
        'The replica that made this call is gone; what became of it is not known',
        {
          outcomeUnknown: true,
        },
      );
    const outcome = read(answer) as Outcome;
    if ('result' in outcome) return outcome.result;
    if ('failure' in outcome) throw readFailure(outcome.failure);
    const instead: unknown =
      'task' in outcome ? new TaskBegun(outcome.task) : new Suspended(outcome.requests, outcome.state);
    throw instead;
  }

  #give(from: string, id: string, owner: AgentId): string {
    const { held, clock } = this.#options;
    const call = held.take(id, owner);
    if (call === undefined) return '';
    const until = clock.monotonic() + UNHEARD_MS;
    const timer = setTimeout(() => {
      if (call instanceof OpenRound) void this.#whatBecame(id, from, until);
      else this.#abandon(id);
    }, UNUSED_MS);
    timer.unref();
    this.#claimed.set(id, { call, by: from, timer });
    if (!(call instanceof OpenRound)) return write({ parked: call instanceof ParkedCall ? call.target : '' });
    const { target, callId, startedAt } = call;
    return write({ round: { target, callId, elapsedMs: clock.monotonic() - startedAt } });
  }

  /** Ends a round that nobody goes on with. While that cannot be found out it is left as it is. */
  async #whatBecame(claim: string, by: string, until: number): Promise<void> {
    const { board, clock } = this.#options;
    const became = await this.#askWhatBecame(by, claim, CLAIM_MS);
    const isLost = became === '' || (became === undefined && (await board.isGone(by).catch(() => false)));
    const claimed = this.#claimed.get(claim);
    if (became === 'taken') this.#take(claim);
    else if (isLost || clock.monotonic() >= until) this.#abandon(claim);
    else if (claimed !== undefined) {
      claimed.timer = setTimeout(() => void this.#whatBecame(claim, by, until), AGAIN_MS);
      claimed.timer.unref();
    }
  }

  #askWhatBecame(by: string, claim: string, timeoutMs: number): Promise<string | undefined> {
    return this.#options.board.ask(by, LINE, write({ kind: 'what_became', claim }), { timeoutMs });
  }

  #abandon(claim: string): void {
    void this.#take(claim)?.end(new HubError('cancelled', 'the call was not continued'));
  }

  async #attach(
    { claim, responses, progress, log }: Extract<Asked, { kind: 'attach' }>,
    { note, signal }: AskedMore,
  ): Promise<string> {
    const call = this.#take(claim);
    if (!(call instanceof ParkedCall)) throw new HubError('not_found', 'nobody waits for this');
    const options: UpstreamOptions = {
      onAbort: (listener) => signal.addEventListener('abort', () => listener(), { once: true }),
      ...(progress && { onProgress: (update) => note(write({ progress: update })) }),
      ...(log && { onLog: (message) => note(write({ log: message })) }),
    };
    try {
      const result = (await call.attach(options, responses)) as JsonObject;
      return write({ result });
    } catch (error) {
      if (error instanceof Suspended) return write({ requests: error.requests, state: error.state });
      if (error instanceof TaskBegun) return write({ task: error.task });
      return write({ failure: writeFailure(error) });
    }
  }

  #told({ claim, code, message }: Told): void {
    void this.#take(claim)?.end(new HubError(code, message));
  }

  #take(claim: string): HeldCall | undefined {
    const claimed = this.#claimed.get(claim);
    this.#claimed.delete(claim);
    clearTimeout(claimed?.timer);
    return claimed?.call;
  }
}

interface DistantLine {
  attach(options: UpstreamOptions, responses: InputResponses): Promise<JsonObject>;
  end(reason: HubError): void;
}

/** A parked call of another replica, claimed for a caller that is here. */
export class DistantCall implements HeldCall {
  readonly owner: AgentId;
  readonly target: string;
  readonly #line: DistantLine;

  constructor(owner: AgentId, target: string, line: DistantLine) {
    this.owner = owner;
    this.target = target;
    this.#line = line;
  }

  attach(options: UpstreamOptions, responses: InputResponses): Promise<JsonObject> {
    return this.#line.attach(options, responses);
  }

  async end(reason: HubError): Promise<void> {
    this.#line.end(reason);
  }
}

function write(value: Asked | Told | Claimed | Note | Outcome): string {
  return stringifyJson(value);
}

/** The switchboard vouches for whoever wrote it, so its shape is ours. */
function read(text: string): unknown {
  return parseJson(text, TOLERANT_JSON);
}

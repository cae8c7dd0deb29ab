import { HubError, type AgentId } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest, InputResponses } from '../mcp/model/index.js';
import type { AskCaller, UpstreamOptions } from '../upstreams/index.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import { Suspended } from './suspended.js';

/** What the work of a call is given: a line to whoever is its caller at the moment. */
export type Line = Required<Pick<UpstreamOptions, 'signal' | 'onAbort' | 'onProgress' | 'onLog' | 'ask'>>;

export interface ParkedCallInit<Result> {
  readonly held: HeldCalls;
  readonly owner: AgentId;
  /** What is called, so that it is not continued as something else. */
  readonly target: string;
  /** What of the state the caller brings back is not about parking. */
  readonly state: JsonObject;
  readonly work: (line: Line) => Promise<Result>;
  /** Answers to questions that the caller expects, by the names that their server gives them. */
  readonly expected?: InputResponses;
  /** Hears when the work is over how many messages came while nobody was there to be told; not called where none did. */
  readonly onDropped?: (count: number) => void;
  readonly gatherMs?: number;
}

interface Question {
  readonly request: InputRequest;
  readonly answer: (answer: JsonObject | undefined) => void;
}

interface Waiter<Result> {
  readonly options: UpstreamOptions;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

/** Where a question says what it is called: in the handshake era it has no other place for that. */
const QUESTION = 'crosspoint/question';
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Questions that come close together are asked together. */
const GATHER_MS = 50;
/** How often an upstream may ask in one call. */
export const MOST_ROUNDS = 10;

/**
 * A call that goes on at the upstream while its caller is away to find answers. The upstream sees one call, the caller
 * several; whatever happens the work is done once. Without a caller nothing is told, and the result waits.
 */
export class ParkedCall<Result> implements HeldCall {
  readonly owner: AgentId;
  readonly target: string;
  readonly #init: ParkedCallInit<Result>;
  readonly #questions = new Map<string, Question>();
  readonly #done: Promise<void>;
  readonly #expected: Map<string, JsonObject>;
  #waiter: Waiter<Result> | undefined;
  #outcome: Outcome<Result> | undefined;
  #ended = false;
  #listener: (() => void) | undefined;
  /** Made only where somebody needs a signal. */
  #abort: AbortController | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #rounds = 0;
  #asked = 0;
  #dropped = 0;

  constructor(init: ParkedCallInit<Result>) {
    this.owner = init.owner;
    this.target = init.target;
    this.#init = init;
    this.#expected = new Map(Object.entries(init.expected ?? {}));
    this.#done = init.work(this.#line()).then(
      (result) => this.#finish({ result }),
      (failure: unknown) => this.#finish({ failure }),
    );
  }

  /** The caller is here: resolves with the result, or rejects with what has to be answered before there is one. */
  attach(options: UpstreamOptions, responses: InputResponses = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiter = { options, resolve, reject };
      this.#waiter = waiter;
      options.onAbort?.(() => {
        // Whoever hangs up after the questions were handed over has only hung up.
        if (this.#waiter === waiter) void this.end(new HubError('cancelled', 'the call was cancelled'));
      });
      for (const [key, question] of this.#questions) {
        const answer = Object.hasOwn(responses, key) ? responses[key] : undefined;
        if (answer === undefined) continue;
        this.#questions.delete(key);
        question.answer(answer);
      }
      if (this.#outcome !== undefined) this.#settle(this.#outcome);
      else if (this.#questions.size > 0) this.#gather();
    });
  }

  end(reason: HubError): Promise<void> {
    if (this.#ended) return this.#done;
    clearTimeout(this.#gathering);
    this.#ended = true;
    this.#abort?.abort();
    this.#listener?.();
    for (const question of this.#questions.values()) question.answer(undefined);
    this.#questions.clear();
    this.#settle({ failure: reason });
    return this.#done;
  }

  #line(): Line {
    const signal = (): AbortSignal => this.#signal();
    return {
      get signal() {
        return signal();
      },
      onAbort: (listener) => {
        if (this.#ended) listener();
        else if (this.#listener === undefined) this.#listener = listener;
        else this.#signal().addEventListener('abort', () => listener(), { once: true });
      },
      onProgress: (progress) => {
        if (this.#waiter === undefined) this.#drop();
        else this.#waiter.options.onProgress?.(progress);
      },
      onLog: (message) => {
        if (this.#waiter === undefined) this.#drop();
        else this.#waiter.options.onLog?.(message);
      },
      ask: (request, withdrawn) => this.#ask(request, withdrawn),
    };
  }

  /** Whoever gave up does not miss what comes after. */
  #drop(): void {
    if (!this.#ended) this.#dropped++;
  }

  #signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#ended) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  readonly #ask: AskCaller = (request, withdrawn) =>
    new Promise((resolve) => {
      const key = this.#nameOf(request);
      const answer = (given: JsonObject | undefined): void => {
        withdrawn.removeEventListener('abort', withdraw);
        resolve(given);
      };
      const withdraw = (): void => {
        this.#questions.delete(key);
        resolve(undefined);
      };
      if (withdrawn.aborted || this.#ended) {
        resolve(undefined);
        return;
      }
      const expected = this.#expected.get(key);
      if (expected !== undefined) {
        this.#expected.delete(key);
        resolve(expected);
        return;
      }
      withdrawn.addEventListener('abort', withdraw, { once: true });
      this.#questions.set(key, { request, answer });
      if (this.#waiter !== undefined) this.#gather();
    });

  /** What its server calls it, where the server says so and no other of this call is called that. */
  #nameOf({ params }: InputRequest): string {
    const meta = params?.['_meta'];
    const name = isObject(meta) ? meta[QUESTION] : undefined;
    if (typeof name === 'string' && NAME.test(name) && !this.#questions.has(name)) {
      this.#asked++;
      return name;
    }
    let number = '';
    do number = `question-${++this.#asked}`;
    while (this.#questions.has(number));
    return number;
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      if (this.#waiter !== undefined && this.#questions.size > 0) this.#suspend();
    }, this.#init.gatherMs ?? GATHER_MS);
  }

  #suspend(): void {
    try {
      if (++this.#rounds > MOST_ROUNDS)
        throw new HubError('upstream_protocol', 'the upstream kept asking for input');
      const park = this.#init.held.hold(this);
      const requests = Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
      this.#settle({ failure: new Suspended(requests, { ...this.#init.state, park }) });
    } catch (error) {
      void this.end(error as HubError);
    }
  }

  #finish(outcome: Outcome<Result>): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#outcome = outcome;
    if (this.#dropped > 0) this.#init.onDropped?.(this.#dropped);
    this.#settle(outcome);
  }

  #settle(outcome: Outcome<Result>): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (waiter === undefined) return;
    if ('result' in outcome) waiter.resolve(outcome.result);
    else waiter.reject(outcome.failure);
  }
}

import { randomBytes } from 'node:crypto';
import {
  INTERNAL_ERROR,
  isObject,
  ProtocolError,
  writeNotification,
  writeRequest,
  type JsonObject,
  type RequestId,
  type ResponseMessage,
} from '../../jsonrpc/index.js';
import type { OpenQuestion } from '../core.js';
import type { DueQueue } from '../due-queue.js';

/** The client could not be asked, or would not answer. The message is fit to be shown to it. */
export class Unanswered extends ProtocolError {
  /** What the client said instead of an answer, where it said anything. */
  readonly refusal: ProtocolError | undefined;

  constructor(message: string, refusal?: ProtocolError) {
    super(INTERNAL_ERROR, message);
    this.refusal = refusal;
  }
}

/** A request of ours that a client has not answered yet. */
export class PendingAsk implements OpenQuestion {
  readonly id: RequestId;
  /** Whose question it is. */
  readonly owner: unknown;
  readonly #desk: AskDesk;
  readonly #push: (text: string) => boolean;
  readonly #resolve: (response: ResponseMessage) => void;
  readonly #reject: (error: Unanswered) => void;

  constructor(
    desk: AskDesk,
    id: RequestId,
    owner: unknown,
    push: (text: string) => boolean,
    resolve: (response: ResponseMessage) => void,
    reject: (error: Unanswered) => void,
  ) {
    this.#desk = desk;
    this.id = id;
    this.owner = owner;
    this.#push = push;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  settle(response: ResponseMessage): void {
    this.#resolve(response);
  }

  fail(reason: string): void {
    this.#desk.forget(this);
    this.#reject(new Unanswered(reason));
  }

  /** The client took too long; it is told not to bother any more. */
  expire(): void {
    this.fail('The client did not answer in time');
    this.#takeBack('timed out');
  }

  /** Nobody wants the answer any more. */
  withdraw(): void {
    this.fail('The question was withdrawn');
    this.#takeBack('withdrawn');
  }

  #takeBack(reason: string): void {
    this.#push(writeNotification('notifications/cancelled', { requestId: this.id, reason }));
  }
}

/** Requests to one client and the answers it posts. Ids are the session's own, so no other session can answer. */
export class AskDesk {
  readonly #deadlines: DueQueue<OpenQuestion>;
  /** There from the first question on: most clients are never asked anything. */
  #pending: Map<RequestId, PendingAsk> | undefined;
  /** So that an answer meant for an earlier process is not taken for one to this. */
  readonly #prefix: string;
  #count = 0;

  /** `self` begins every id, so that an answer which comes to another process finds its way. */
  constructor(deadlines: DueQueue<OpenQuestion>, self: string) {
    this.#deadlines = deadlines;
    this.#prefix = self + randomBytes(4).toString('hex');
  }

  /** Sends a request with `push` and waits for its answer. Rejects with `Unanswered`. */
  ask(
    method: string,
    params: JsonObject | undefined,
    owner: unknown,
    push: (text: string) => boolean,
    withdrawn?: AbortSignal,
  ): Promise<ResponseMessage> {
    return new Promise((resolve, reject) => {
      const id = `${this.#prefix}-${++this.#count}`;
      const ask = new PendingAsk(this, id, owner, push, resolve, reject);
      const pending = (this.#pending ??= new Map<RequestId, PendingAsk>());
      pending.set(id, ask);
      this.#deadlines.add(ask);
      if (!push(writeRequest(id, method, params))) ask.fail('The client cannot be asked any more');
      withdrawn?.addEventListener('abort', () => {
        if (pending.get(id) === ask) ask.withdraw();
      });
    });
  }

  /** False when nobody waits for this. */
  settle(response: ResponseMessage): boolean {
    const ask = response.id === undefined ? undefined : this.#pending?.get(response.id);
    if (ask === undefined) return false;
    this.forget(ask);
    ask.settle(response);
    return true;
  }

  /** Without an owner: all of them. */
  failAll(reason: string, owner?: unknown): void {
    for (const ask of this.#pending?.values() ?? []) {
      if (owner === undefined || ask.owner === owner) ask.fail(reason);
    }
  }

  forget(ask: PendingAsk): void {
    this.#pending?.delete(ask.id);
    this.#deadlines.delete(ask);
  }
}

/** The result of an answer, or why there is none. */
export function readResponse(response: ResponseMessage): JsonObject | Unanswered {
  if (response.kind === 'error') {
    const { code, message, data } = response.error;
    return new Unanswered('The client refused to answer', new ProtocolError(code, message, data));
  }
  return isObject(response.result)
    ? response.result
    : new Unanswered('The client answered with something else than an object');
}

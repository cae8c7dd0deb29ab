import type { ErrorObject, JsonObject, RequestId } from '../jsonrpc/index.js';
import { INTERNAL_ERROR, ProtocolError, writeError, writeNotification } from '../jsonrpc/index.js';
import {
  reachesLevel,
  type ClientDescription,
  type InputRequests,
  type InputResponses,
  type LogLevel,
  type LogMessage,
  type Progress,
  type TaskWish,
} from '../model/index.js';
import type { Core } from './core.js';
import {
  FacedError,
  type Face,
  type Handler,
  type HandlerResult,
  type McpRequest,
  type OnRefused,
  type Refusal,
  type ResumedRequest,
} from './handler.js';
import type { LongAnswer } from './prepared-result.js';
import type { Reply } from './reply.js';

export interface CallInit {
  readonly core: Core;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly principal: string;
  readonly client: ClientDescription;
  readonly progressToken: RequestId | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly reply: Reply;
}

const PROGRESS = 'notifications/progress';
const PROGRESS_HEAD = `{"jsonrpc":"2.0","method":"${PROGRESS}","params":{"progressToken":`;
const PROGRESS_MEMBERS: ReadonlySet<string> = new Set(['progress', 'total', 'message']);

/**
 * One request on its way through a handler. Answers exactly once, whatever the handler does; what comes after the
 * answer, or after the client is gone, is ignored.
 */
export abstract class Call implements McpRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly principal: string;
  readonly client: ClientDescription;
  resumed: ResumedRequest | undefined = undefined;
  slot = -1;

  protected readonly core: Core;
  protected readonly reply: Reply;
  readonly #progressToken: RequestId | undefined;
  readonly #logLevel: LogLevel | undefined;
  #abort: AbortController | undefined;
  #listener: ((reason?: string) => void) | undefined;
  #aborted = false;
  #done = false;
  #progress = Number.NEGATIVE_INFINITY;
  #progressHead: string | undefined;
  #total: number | undefined;
  #totalText = '';
  #second = 0;
  #sentThisSecond = 0;

  constructor(init: CallInit) {
    this.core = init.core;
    this.id = init.id;
    this.method = init.method;
    this.params = init.params;
    this.principal = init.principal;
    this.client = init.client;
    this.reply = init.reply;
    this.#progressToken = init.progressToken;
    this.#logLevel = init.logLevel;
  }

  get done(): boolean {
    return this.#done;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#aborted) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  onAbort(listener: (reason?: string) => void): void {
    if (this.#aborted) listener();
    else if (this.#listener === undefined) this.#listener = listener;
    else {
      const first = this.#listener;
      this.#listener = (reason) => {
        first(reason);
        listener(reason);
      };
    }
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel;
  }

  get wantsProgress(): boolean {
    return this.#progressToken !== undefined;
  }

  progress(update: Progress): void {
    const { progress, total, message } = update;
    if (this.#progressToken === undefined || !Number.isFinite(progress) || progress <= this.#progress) return;
    if (!this.#mayNotify()) return;
    this.#progress = progress;
    if (saysMore(update)) this.#notify(PROGRESS, { ...update, progressToken: this.#progressToken });
    else this.#push(this.#writeProgress(progress, total, message));
  }

  log(message: LogMessage): void {
    if (this.#logLevel === undefined || !reachesLevel(message.level, this.#logLevel)) return;
    if (!this.#mayNotify()) return;
    this.#notify('notifications/message', message as JsonObject);
  }

  errorCodeOf(thrown: unknown): number | undefined {
    if (!(thrown instanceof Error)) return undefined;
    if (thrown instanceof FacedError) {
      const face = this.faceOf(thrown);
      return 'error' in face ? this.shownCode(face.error) : undefined;
    }
    return thrown instanceof ProtocolError ? this.shownCode(thrown) : INTERNAL_ERROR;
  }

  abstract readonly revision: string;
  protected abstract faceOf(error: FacedError): Face;
  protected abstract shownCode(error: ProtocolError): number | undefined;

  abstract readonly tasks: TaskWish | undefined;
  abstract readonly session: string | undefined;
  abstract readonly asksLive: boolean;
  abstract askClient(
    requests: InputRequests,
    withdrawn?: AbortSignal,
    onRefused?: OnRefused,
  ): Promise<InputResponses>;

  abstract tellVisited(elicitationId: string): void;

  /** Runs the handler and answers with what comes of it. */
  run(handler: Handler): void {
    let outcome: ReturnType<Handler>;
    try {
      outcome = handler(this);
    } catch (error) {
      this.threw(error);
      return;
    }
    if (!(outcome instanceof Promise)) {
      this.returned(outcome);
      return;
    }
    this.core.calls.add(this);
    outcome.then(
      (result) => this.returned(result),
      (error: unknown) => this.threw(error),
    );
  }

  /** The client cancelled, or is gone for good. Nothing is answered any more. */
  cancel(reason?: string): void {
    if (this.#done) return;
    this.finish();
    this.#tellAborted(reason);
  }

  /** We end it: the handler is told to stop, and the client is told why. */
  stop(reason: string): void {
    if (this.#done) return;
    this.#tellAborted();
    this.answer(writeError(this.id, { code: INTERNAL_ERROR, message: reason }));
  }

  protected abstract returned(result: HandlerResult): void;
  protected abstract threw(error: unknown): void;
  /** Answers with an error, in the way of the client's era. */
  protected abstract refuse(error: ProtocolError, refusal?: Refusal): void;

  protected show(error: FacedError): void {
    const face = this.faceOf(error);
    if ('error' in face) this.refuse(face.error, face.refusal);
    else this.returned(face.result);
  }

  /** What is no `ProtocolError` is a mistake of the handler, of which the client learns nothing. */
  protected failed(error: unknown): void {
    if (error instanceof ProtocolError) return this.refuse(error);
    this.core.observe({ type: 'handler_failed', method: this.method, error });
    this.answer(writeError(this.id, { code: INTERNAL_ERROR, message: 'Internal error' }));
  }

  /** A handler may have put anything into the data of its error. */
  protected writeError(error: ErrorObject): string {
    try {
      return writeError(this.id, error);
    } catch (cause) {
      this.core.observe({ type: 'handler_failed', method: this.method, error: cause });
      return writeError(this.id, { code: error.code, message: error.message });
    }
  }

  /** From now on nothing is sent for this call but its answer, if it gets one. */
  protected finish(): void {
    this.#done = true;
    this.core.calls.delete(this);
  }

  protected answer(answer: string | LongAnswer, status = 200, retryAfterMs?: number): void {
    this.finish();
    const isDelivered =
      typeof answer === 'string'
        ? this.reply.answer(answer, status, retryAfterMs)
        : (this.reply.answerLong?.(answer) ?? this.reply.answer(answer.toString(), status));
    if (!isDelivered) this.core.observe({ type: 'answer_lost', method: this.method });
  }

  #tellAborted(reason?: string): void {
    this.#aborted = true;
    this.#abort?.abort();
    this.#listener?.(reason);
  }

  #mayNotify(): boolean {
    if (this.#done) return false;
    const second = Math.floor(this.core.monotonic() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#sentThisSecond = 0;
    }
    if (++this.#sentThisSecond <= this.core.limits.notificationsPerSecond) return true;
    this.core.observe({ type: 'notification_dropped', reason: 'rate' });
    return false;
  }

  #notify(method: string, params: JsonObject): void {
    let text: string;
    try {
      text = writeNotification(method, params);
    } catch (error) {
      this.core.observe({ type: 'handler_failed', method: this.method, error });
      return;
    }
    this.#push(text);
  }

  #push(text: string): void {
    if (!this.reply.push(text, true)) this.core.observe({ type: 'notification_dropped', reason: 'unheard' });
  }

  /** Some tools say every few milliseconds how far they are, so what is the same each time is written once. */
  #writeProgress(progress: number, total: number | undefined, message: string | undefined): string {
    this.#progressHead ??= `${PROGRESS_HEAD}${JSON.stringify(this.#progressToken)},"progress":`;
    if (this.#total !== total || this.#totalText === '') {
      this.#total = total;
      this.#totalText = total === undefined ? '}}' : `,"total":${JSON.stringify(total)}}}`;
    }
    const text = this.#progressHead + String(progress);
    if (message === undefined) return text + this.#totalText;
    const told = this.#totalText.slice(0, -2);
    return `${text}${told},"message":${JSON.stringify(message)}}}`;
  }
}

function saysMore(update: Progress): boolean {
  for (const name in update) if (!PROGRESS_MEMBERS.has(name)) return true;
  return false;
}

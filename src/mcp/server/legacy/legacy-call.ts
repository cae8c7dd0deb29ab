import {
  INTERNAL_ERROR,
  isObject,
  ProtocolError,
  stringifyJson,
  writeNotification,
  writeResult,
  type JsonObject,
} from '../../jsonrpc/index.js';
import type { InputRequest, InputRequests, InputResponses, TaskWish } from '../../model/index.js';
import {
  hasUrlElicitation,
  MISSING_CLIENT_CAPABILITY,
  mayRequireInput,
  readTaskWish,
  reducedInput,
  reducedKinds,
  toLegacyError,
  toLegacyResult,
  toLegacyTask,
  type LegacyRevision,
} from '../../wire/index.js';
import { Call, type CallInit } from '../call.js';
import {
  FacedError,
  type Refusal,
  InputRequired,
  PreparedResult,
  TaskCreated,
  type Handler,
  type HandlerResult,
  type Face,
  type OnRefused,
} from '../handler.js';
import { pickAnswers, requireAskable } from '../input/input-answers.js';
import { writeAnswer, writePrepared, type LongAnswer } from '../prepared-result.js';
import { Unanswered } from './ask-desk.js';
import { askLegacyClient } from './ask-legacy-client.js';
import { knowsTasks, type LegacyPeer } from './legacy-peer.js';

/** A request of the handshake era. What its handler needs to know is asked while the request is open. */
export class LegacyCall extends Call {
  readonly #peer: LegacyPeer;
  readonly #handler: Handler;
  #answers: Map<string, JsonObject> | undefined;
  #rounds = 0;

  constructor(init: CallInit, peer: LegacyPeer, handler: Handler) {
    super(init);
    this.#peer = peer;
    this.#handler = handler;
  }

  get session(): string | undefined {
    return this.#peer.session?.id;
  }

  get tasks(): TaskWish | undefined {
    return this.method === 'tools/call' && knowsTasks(this.#peer) ? readTaskWish(this.params) : undefined;
  }

  get asksLive(): boolean {
    return true;
  }

  get revision(): string {
    return this.#peer.revision;
  }

  protected faceOf({ legacy }: FacedError): Face {
    return legacy;
  }

  protected shownCode(error: ProtocolError): number | undefined {
    return this.#isForModel(error) ? undefined : toLegacyError(this.method, error.toErrorObject()).code;
  }

  start(): void {
    this.run(this.#handler);
  }

  /** Questions that were answered before in this call return at once, as they do where the handler has to run again. */
  askClient(
    requests: InputRequests,
    withdrawn?: AbortSignal,
    onRefused?: OnRefused,
  ): Promise<InputResponses> {
    const asked = this.#askMissing(requests, withdrawn, onRefused);
    // A handler that does not wait for its answer must not bring the process down.
    asked.catch(() => {});
    return asked;
  }

  tellVisited(elicitationId: string): void {
    if (!hasUrlElicitation(this.#peer.revision)) return;
    const text = writeNotification('notifications/elicitation/complete', { elicitationId });
    if (this.done) this.#peer.session?.notify(text);
    else this.reply.push(text, false);
  }

  /** The client does not want an answer any more, and gets none. */
  override cancel(reason?: string): void {
    if (this.done) return;
    super.cancel(reason);
    this.reply.drop();
    this.#peer.session?.asks.failAll('The request was cancelled', this);
  }

  protected returned(result: HandlerResult): void {
    if (this.done) return;
    if (result instanceof InputRequired) {
      this.core.calls.add(this);
      this.#unroll(result).catch((error: unknown) => this.threw(error));
      return;
    }
    try {
      this.answer(this.#write(result instanceof TaskCreated ? { task: toLegacyTask(result.task) } : result));
    } catch (error) {
      this.failed(error);
    }
  }

  protected threw(error: unknown): void {
    if (this.done) return;
    if (error instanceof InputRequired || error instanceof TaskCreated) this.returned(error);
    else if (error instanceof FacedError) this.show(error);
    else this.failed(error);
  }

  protected override finish(): void {
    super.finish();
    this.#peer.session?.calls.delete(this.id);
  }

  /** Where the other era would send the handler's questions away with the answer, they are put to the client now. */
  async #unroll({ requests, state }: InputRequired): Promise<void> {
    if (!mayRequireInput(this.method)) throw new TypeError(`${this.method} may not ask for input`);
    if (++this.#rounds > this.core.limits.inputRounds) {
      this.core.observe({ type: 'limit_reached', limit: 'rounds' });
      throw new Unanswered('The request asked for input too often');
    }
    const answers = new Map<string, JsonObject>();
    const questions = Object.entries(requests);
    if (questions.length === 0) await this.core.pause();
    else await this.#ask(questions, answers);
    if (this.done) return;
    this.resumed = { responses: Object.fromEntries(answers), state };
    this.run(this.#handler);
  }

  async #askMissing(
    requests: InputRequests,
    withdrawn: AbortSignal | undefined,
    onRefused: OnRefused | undefined,
  ): Promise<InputResponses> {
    if (!mayRequireInput(this.method) && this.method !== 'tasks/result') {
      throw new ProtocolError(INTERNAL_ERROR, `${this.method} cannot ask the client`);
    }
    const answers = (this.#answers ??= new Map());
    const missing = Object.entries(requests).filter(([key]) => !answers.has(key));
    await this.#ask(missing, answers, withdrawn, onRefused);
    return pickAnswers(requests, answers) ?? {};
  }

  async #ask(
    questions: readonly [string, InputRequest][],
    answers: Map<string, JsonObject>,
    withdrawn?: AbortSignal,
    onRefused?: OnRefused,
  ): Promise<void> {
    if (questions.length === 0) return;
    requireAskable(Object.fromEntries(questions), this.client.capabilities);
    const { session } = this.#peer;
    if (session === undefined) throw new Unanswered('The client cannot be asked');
    const push = (text: string): boolean => this.reply.push(text, false);
    await Promise.all(
      questions.map(async ([key, request]) => {
        this.#tellReducedQuestion(request);
        answers.set(key, await askLegacyClient(session, request, this, push, withdrawn, onRefused));
      }),
    );
  }

  #write(result: JsonObject | PreparedResult): string | LongAnswer {
    if (!isObject(result)) throw new TypeError('a result must be an object');
    const { method } = this;
    const { revision } = this.#peer;
    const write = (plain: JsonObject): string => stringifyJson(toLegacyResult(method, plain, revision));
    if (result instanceof PreparedResult)
      return writePrepared(this.id, result, `${revision} ${method}`, write);
    this.#tellReduced(result, revision);
    return writeAnswer(this.id, write(result));
  }

  #tellReduced(result: JsonObject, revision: LegacyRevision): void {
    const { method, principal, params } = this;
    const lost = reducedKinds(method, result, revision);
    if (lost.length === 0) return;
    const name = typeof params['name'] === 'string' ? params['name'] : '';
    this.core.observe({ type: 'answer_reduced', method, principal, name, revision, lost });
  }

  #tellReducedQuestion(request: InputRequest): void {
    const { method, principal, params } = this;
    const { revision } = this.#peer;
    const lost = reducedInput(request, revision);
    if (lost.length === 0) return;
    const named = params['name'] ?? params['uri'];
    const name = typeof named === 'string' ? named : '';
    const question = request.method;
    this.core.observe({ type: 'question_reduced', question, method, principal, name, revision, lost });
  }

  protected refuse(error: ProtocolError, refusal?: Refusal): void {
    if (this.#isForModel(error)) {
      const content = [{ type: 'text', text: error.message }];
      this.answer(writeResult(this.id, stringifyJson({ content, isError: true })));
      return;
    }
    const text = this.writeError(toLegacyError(this.method, error.toErrorObject()));
    this.answer(text, refusal?.status, refusal?.retryAfterMs);
  }

  /** The model, and not only the program, is to learn why nobody could be asked. */
  #isForModel(error: ProtocolError): boolean {
    const unaskable = error instanceof Unanswered || error.code === MISSING_CLIENT_CAPABILITY;
    return unaskable && this.method === 'tools/call';
  }
}

import {
  INTERNAL_ERROR,
  isObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  stringifyJson,
  writeResult,
  type JsonObject,
} from '../../jsonrpc/index.js';
import {
  declaresTasks,
  type Implementation,
  type InputRequest,
  type InputRequests,
  type InputResponses,
  type TaskWish,
} from '../../model/index.js';
import {
  mayRequireInput,
  MISSING_CLIENT_CAPABILITY,
  NEWEST_MODERN,
  toModernError,
  writeInputRequired,
  writeModernResult,
  writeTask,
} from '../../wire/index.js';
import { Call, type CallInit } from '../call.js';
import {
  FacedError,
  type Refusal,
  InputRequired,
  PreparedResult,
  TaskCreated,
  type HandlerResult,
  type Face,
} from '../handler.js';
import { pickAnswers, requireAnswer, requireAskable } from '../input/input-answers.js';
import { sealState, type Resume } from '../input/resume.js';
import { writeAnswer, writePrepared, type LongAnswer } from '../prepared-result.js';

/** The server decides whether a call becomes a task. */
const DECLARED: TaskWish = { wanted: false };

/** A request of the era without sessions: whatever it needs came with it, and whatever it will need goes back with the answer. */
export class ModernCall extends Call {
  readonly #info: Implementation;
  readonly #answers: Map<string, JsonObject> | undefined;
  readonly #round: number;
  /** Answers that this run was given; the next one must find them again. */
  #given: Map<string, JsonObject> | undefined;
  /** Questions this run cannot go on without. */
  #asked: Record<string, InputRequest> | undefined;

  constructor(init: CallInit, info: Implementation, resume: Resume | undefined) {
    super(init);
    this.#info = info;
    this.#answers = resume?.answers;
    this.#round = resume?.round ?? 0;
    this.resumed = resume?.resumed;
  }

  get session(): undefined {
    return undefined;
  }

  get tasks(): TaskWish | undefined {
    return this.method === 'tools/call' && declaresTasks(this.client.capabilities) ? DECLARED : undefined;
  }

  get asksLive(): boolean {
    return false;
  }

  get revision(): string {
    return NEWEST_MODERN;
  }

  protected faceOf({ modern }: FacedError): Face {
    return modern;
  }

  protected shownCode(error: ProtocolError): number {
    return toModernError(error.toErrorObject()).code;
  }

  /**
   * There is no way to wait for a client in this era: the run ends here, and the handler runs again when the client has
   * sent the answers. Rejecting lets the handler release what it holds.
   */
  askClient(requests: InputRequests): Promise<InputResponses> {
    const asked = new Promise<InputResponses>((resolve) => {
      if (!mayRequireInput(this.method)) {
        throw new ProtocolError(INTERNAL_ERROR, `${this.method} cannot ask the client`);
      }
      const answers = this.#answers === undefined ? undefined : pickAnswers(requests, this.#answers);
      if (answers === undefined) throw this.#ask(requests);
      this.#given ??= new Map();
      for (const [key, request] of Object.entries(requests)) {
        requireAnswer(request, answers[key] ?? {});
        this.#given.set(key, answers[key] ?? {});
      }
      resolve(answers);
    });
    // A handler that does not wait for its answer must not bring the process down.
    asked.catch(() => {});
    return asked;
  }

  /** Here the client finds out by sending its request again. */
  tellVisited(): void {}

  protected returned(result: HandlerResult): void {
    if (this.done) return;
    try {
      if (this.#asked !== undefined) this.#requireInput(new InputRequired(this.#asked));
      else if (result instanceof InputRequired) this.#requireInput(result);
      else this.answer(this.#write(result instanceof TaskCreated ? writeTask(result.task) : result));
    } catch (error) {
      this.failed(error);
    }
  }

  protected threw(error: unknown): void {
    if (this.done) return;
    if (this.#asked !== undefined || error instanceof InputRequired) {
      this.returned(error instanceof InputRequired ? error : new InputRequired({}));
    } else if (error instanceof TaskCreated) {
      this.returned(error);
    } else if (error instanceof FacedError) {
      this.show(error);
    } else {
      this.failed(error);
    }
  }

  #ask(requests: InputRequests): unknown {
    requireAskable(requests, this.client.capabilities);
    this.#asked ??= {};
    for (const [key, request] of Object.entries(requests)) {
      if (this.#answers?.has(key) !== true) this.#asked[key] = request;
    }
    return new InputRequired(requests);
  }

  #requireInput({ requests, state }: InputRequired): void {
    if (!mayRequireInput(this.method)) throw new TypeError(`${this.method} may not ask for input`);
    requireAskable(requests, this.client.capabilities);
    const answers = this.#given === undefined ? {} : Object.fromEntries(this.#given);
    // A state nobody needs is not sent: the client would have to carry it for nothing.
    const needed = state !== undefined || this.#given !== undefined || Object.keys(requests).length === 0;
    const sealed = needed
      ? sealState(this.principal, this.method, this.params, this.core.seal, {
          answers,
          own: state,
          round: this.#round + 1,
        })
      : undefined;
    this.answer(writeResult(this.id, writeInputRequired(requests, sealed, this.#info)));
  }

  #write(result: JsonObject | PreparedResult): string | LongAnswer {
    if (!(result instanceof PreparedResult) && !isObject(result))
      throw new TypeError('a result must be an object');
    const { core, method } = this;
    if (!(result instanceof PreparedResult)) {
      return writeAnswer(this.id, writeModernResult(method, result, this.#info, core.cache));
    }
    const form = `modern ${method} ${core.cache.ttlMs} ${core.cache.cacheScope} ${stringifyJson(this.#info)}`;
    return writePrepared(this.id, result, form, (plain) =>
      writeModernResult(method, plain, this.#info, core.cache),
    );
  }

  /** Errors of a handler that have a status of their own, while one can still be chosen. */
  #statusOf(code: number): number {
    if (code === MISSING_CLIENT_CAPABILITY) return 400;
    // Whoever answers for unknown methods knows this one no better: to the client it does not exist.
    return code === METHOD_NOT_FOUND && this.core.isForeign(this.method) ? 404 : 200;
  }

  protected refuse(error: ProtocolError, refusal?: Refusal): void {
    const shown = toModernError(error.toErrorObject());
    const status = refusal?.status ?? this.#statusOf(shown.code);
    this.answer(this.writeError(shown), status, refusal?.retryAfterMs);
  }
}

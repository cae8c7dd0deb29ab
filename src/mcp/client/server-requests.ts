import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  ProtocolError,
  stringifyJson,
  writeError,
  writeResult,
  type JsonObject,
  type RequestId,
  type RequestMessage,
} from '../jsonrpc/index.js';
import {
  leadsAstray,
  supportsElicitation,
  type ClientCapabilities,
  type InputRequest,
} from '../model/index.js';
import {
  mayRequireInput,
  missingForInput,
  relatedTask,
  USER_REJECTED,
  withoutHopMeta,
} from '../wire/index.js';
import type { Call } from './call.js';
import { ClientError, toError } from './client-error.js';
import type { Conversation } from './conversation.js';
import type { InputDesk } from './input-desk.js';
import { InputRefused, type ClientWarning, type InputHandler, type OngoingCall } from './options.js';
import { Outbox } from './outbox.js';

const MOST_AT_ONCE = 64;
const TASK_RESULT = 'tasks/result';

export interface ServerRequestsParts {
  readonly conversation: Conversation;
  readonly desk: InputDesk;
  readonly capabilities: ClientCapabilities;
  readonly now: () => number;
  readonly warn: (warning: ClientWarning) => void;
}

/** Answers the requests of a legacy server: each exactly once, unless the server takes it back. */
export class ServerRequests {
  readonly #parts: ServerRequestsParts;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #working = new Set<Promise<void>>();
  readonly #outbox: Outbox;

  constructor(parts: ServerRequestsParts) {
    this.#parts = parts;
    this.#outbox = new Outbox({
      send: (text) => parts.conversation.sendPlain(text, undefined),
      onLost: () =>
        parts.warn({
          code: 'answer_not_delivered',
          message: 'an answer to the server could not be delivered',
        }),
    });
  }

  receive(request: RequestMessage, onStream: Call | undefined): void {
    const { id, method } = request;
    if (method === 'ping') {
      this.#outbox.post(writeResult(id, '{}'));
      return;
    }
    const during = onStream ?? this.#taskCallOf(request);
    const work = this.#admit(request, during);
    if (work instanceof ProtocolError) this.#refuse(id, work, method);
    else this.#begin(this.#work(request, work.request, work.handler, during));
  }

  #begin(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  /** `notifications/cancelled` of the server. */
  cancelled(id: RequestId): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.abort();
  }

  /** Nobody is asked any more. Resolves when the server was told so; undefined where it waits for nothing. */
  finish(): Promise<void> | undefined {
    if (this.#working.size === 0) return this.#outbox.sending;
    for (const controller of this.#running.values()) controller.abort();
    return Promise.allSettled(this.#working).then(() => this.#outbox.sending);
  }

  /** Without a word to the server. */
  drop(): void {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const controller of running) controller.abort();
  }

  #admit(
    { id, method, params }: RequestMessage,
    during: Call | undefined,
  ): ProtocolError | { readonly request: InputRequest; readonly handler: InputHandler } {
    const { capabilities, desk } = this.#parts;
    const request = toInputRequest(method, params);
    const handler = request && desk.handlerFor(request, during);
    if (request === undefined || handler === undefined)
      return new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
    if (missingForInput(request, capabilities) !== undefined) return undeclared(request, capabilities);
    if (leadsAstray(request))
      return new ProtocolError(INVALID_PARAMS, 'url must be an http or https address');
    if (this.#running.has(id)) return new ProtocolError(INVALID_PARAMS, 'this id is in use');
    if (this.#running.size >= MOST_AT_ONCE)
      return new ProtocolError(INTERNAL_ERROR, 'too many requests at once');
    return { request, handler };
  }

  async #work(
    { id, params }: RequestMessage,
    request: InputRequest,
    handler: InputHandler,
    during: Call | undefined,
  ): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const candidates = during === undefined ? this.#interactiveCalls(relatedTask(params)) : [during];
    const paused = this.#pause(candidates);
    const stop = (): void => {
      controller.abort();
    };
    if (during !== undefined) {
      during.input ??= new AbortController();
      during.input.signal.addEventListener('abort', stop);
    }
    try {
      const result = await this.#parts.desk.answer(
        request,
        handler,
        { during, candidates, abandoned: during === undefined ? this.#abandonedCalls() : [] },
        controller.signal,
      );
      // Written first: what has no JSON form fails like any other answer.
      const text = writeResult(id, stringifyJson(result));
      if (this.#finish(id, controller)) this.#outbox.post(text);
    } catch (error) {
      if (this.#finish(id, controller)) this.#postFailure(id, request, toError(error));
    } finally {
      during?.input?.signal.removeEventListener('abort', stop);
      for (const call of paused) {
        call.resume(this.#parts.now());
        this.#parts.conversation.watch(call);
      }
    }
  }

  /** The call that waits for the end of the task that a question names. */
  #taskCallOf({ params }: RequestMessage): Call | undefined {
    const taskId = relatedTask(params);
    if (taskId === undefined) return undefined;
    const isOfTask = ({ method, params: sent }: Call): boolean =>
      method === TASK_RESULT && sent?.['taskId'] === taskId;
    return this.#parts.conversation.pending().find(isOfTask);
  }

  /** Those in the course of which a server may ask. What names a task is about no call. */
  #interactiveCalls(taskId: string | undefined): readonly Call[] {
    if (taskId !== undefined) return [];
    return this.#parts.conversation.pending().filter(({ method }) => mayAsk(method));
  }

  #abandonedCalls(): readonly OngoingCall[] {
    return this.#parts.conversation.abandoned().filter(({ method }) => mayAsk(method));
  }

  /** A request on a shared channel may belong to any of them, so none grows older meanwhile. */
  #pause(calls: readonly Call[]): readonly Call[] {
    const now = this.#parts.now();
    for (const call of calls) call.pause(now);
    return calls;
  }

  /** False when the server took the request back or the conversation ended. */
  #finish(id: RequestId, controller: AbortController): boolean {
    if (this.#running.get(id) !== controller) return false;
    this.#running.delete(id);
    return true;
  }

  #postFailure(id: RequestId, request: InputRequest, error: Error): void {
    const ended =
      error instanceof InputRefused || (error instanceof ClientError && error.code !== 'input_failed');
    if (ended && request.method === 'elicitation/create') {
      const action = error instanceof InputRefused ? 'decline' : 'cancel';
      this.#outbox.post(writeResult(id, stringifyJson({ action })));
    } else if (ended && request.method === 'sampling/createMessage') {
      this.#refuse(id, new ProtocolError(USER_REJECTED, 'User rejected sampling request'));
    } else if (error instanceof ProtocolError) {
      this.#refuse(id, error);
    } else {
      // What went wrong in a handler is nothing a server should read.
      this.#refuse(id, new ProtocolError(INTERNAL_ERROR, 'the request could not be answered'));
    }
  }

  #refuse(id: RequestId, error: ProtocolError, method?: string): void {
    this.#parts.warn({
      code: 'refused_request',
      message: `a request of the server was refused with ${error.code}`,
      ...(method !== undefined && { method }),
    });
    this.#outbox.post(writeError(id, error.toErrorObject()));
  }
}

/** Whether a server may ask in the course of a request, of its own or of the task it waits for. */
export function mayAsk(method: string): boolean {
  return mayRequireInput(method) || method === TASK_RESULT;
}

/** What belongs to this hop stays here: its tokens, its tasks, and that it would like a task of the question. */
function toInputRequest(method: string, params: JsonObject | undefined): InputRequest | undefined {
  if (method !== 'elicitation/create' && method !== 'sampling/createMessage' && method !== 'roots/list')
    return undefined;
  if (params === undefined) return { method };
  const { task: _, ...kept } = withoutHopMeta(params);
  return { method, params: kept };
}

function undeclared(request: InputRequest, capabilities: ClientCapabilities): ProtocolError {
  const kindKnown =
    request.method === 'elicitation/create'
      ? supportsElicitation(capabilities, 'form') || supportsElicitation(capabilities, 'url')
      : request.method === 'sampling/createMessage' && capabilities.sampling !== undefined;
  return kindKnown
    ? new ProtocolError(INVALID_PARAMS, 'this client did not declare that mode')
    : new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
}

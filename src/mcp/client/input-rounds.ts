import { ProtocolError, type ErrorObject, type JsonObject } from '../jsonrpc/index.js';
import type { InputRequest, InputRequests, InputResponses } from '../model/index.js';
import { missingForInput } from '../wire/index.js';
import type { Call } from './call.js';
import { ClientError, invalidResponse } from './client-error.js';
import type { InputDesk } from './input-desk.js';
import { InputRefused, type InputHandler } from './options.js';
import type { Requester } from './requester.js';
import type { Settings } from './settings.js';

const MOST_ROUNDS = 10;
/** A server that only wants to be asked again is given time. */
const PAUSE_MS = 250;

/** What a caller who answers for himself gets instead of a result. */
export interface InputRequiredResult {
  readonly type: 'input_required';
  readonly requests: InputRequests;
  readonly requestState: string | undefined;
}

/** Modern servers ask by answering: the call is sent again with what they want to know. */
export class InputRounds {
  readonly #settings: Settings;
  readonly #desk: InputDesk;
  readonly #requester: Requester;

  constructor(settings: Settings, desk: InputDesk, requester: Requester) {
    this.#settings = settings;
    this.#desk = desk;
    this.#requester = requester;
  }

  inputRequired(call: Call, requests: InputRequests, requestState: string | undefined): void {
    const undeclared = this.#findUndeclared(call, requests);
    if (undeclared !== undefined) {
      call.reject(undeclared);
    } else if (call.plan.raw === true) {
      call.resolve({ type: 'input_required', requests, requestState } satisfies InputRequiredResult);
    } else if (++call.rounds > MOST_ROUNDS) {
      call.reject(new ClientError('round_limit', `the server asked more than ${MOST_ROUNDS} times`));
    } else {
      void this.#requester.hold(call, () => this.#nextRound(call, requests, requestState));
    }
  }

  /** Answers to all requests; rejects when one of them cannot be answered, unless there is where to put the `refusals`. */
  async gather(
    call: Call,
    requests: InputRequests,
    refusals?: Map<string, ErrorObject>,
  ): Promise<InputResponses> {
    const undeclared = this.#findUndeclared(call, requests);
    if (undeclared !== undefined) throw undeclared;
    const controller = new AbortController();
    call.input = controller;
    try {
      const entries = Object.entries(requests).map(async ([key, request]) => {
        const handler = this.#desk.handlerFor(request, call);
        if (handler === undefined)
          throw new ClientError('input_failed', `there is no handler for ${request.method}`);
        const refused = refusals && ((error: ErrorObject) => refusals.set(key, error));
        return [key, await this.#answer(call, request, handler, controller.signal, refused)] as const;
      });
      const answers = (await Promise.all(entries)).filter(([, answer]) => answer !== undefined);
      return Object.fromEntries(answers) as InputResponses;
    } catch (error) {
      controller.abort();
      throw error;
    } finally {
      call.input = undefined;
    }
  }

  #findUndeclared(call: Call, requests: InputRequests): ClientError | undefined {
    const capabilities = this.#requester.capabilitiesOf(call);
    const found = Object.values(requests).find(
      (request) => missingForInput(request, capabilities) !== undefined,
    );
    return found && invalidResponse(`the server asked ${found.method}, which was not declared`);
  }

  async #nextRound(call: Call, requests: InputRequests, requestState: string | undefined): Promise<void> {
    const added: Record<string, JsonObject | string> = {};
    if (requestState !== undefined) added['requestState'] = requestState;
    if (Object.keys(requests).length > 0) {
      added['inputResponses'] = await this.gather(call, requests);
    } else {
      await call.rest(this.#settings.clock, PAUSE_MS);
    }
    if (!call.settled) this.#requester.send(call, { ...call.params, ...added });
  }

  async #answer(
    call: Call,
    request: InputRequest,
    handler: InputHandler,
    signal: AbortSignal,
    onRefused?: (error: ErrorObject) => void,
  ): Promise<JsonObject | undefined> {
    try {
      return await this.#desk.answer(
        request,
        handler,
        { during: call, candidates: [call], abandoned: [] },
        signal,
      );
    } catch (error) {
      const refused = error instanceof InputRefused;
      const failed = error instanceof ProtocolError;
      if (failed) onRefused?.(error.toErrorObject());
      const late = error instanceof ClientError && error.code === 'timeout';
      if (request.method === 'elicitation/create' && (refused || failed || late))
        return { action: refused ? 'decline' : 'cancel' };
      if (failed && onRefused !== undefined) return undefined;
      // Only elicitations have a way to say no; for the others the call ends here.
      if (refused || failed)
        throw new ClientError('input_refused', `${request.method} was refused`, { cause: error });
      if (error instanceof ClientError && error.code === 'aborted') throw error;
      throw new ClientError('input_failed', `${request.method} could not be answered`, { cause: error });
    }
  }
}

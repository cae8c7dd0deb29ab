import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { InputRequest } from '../model/index.js';
import type { Call } from './call.js';
import { ClientError, toError } from './client-error.js';
import { withFormDefaults } from './elicitation-defaults.js';
import type { InputContext, InputHandler } from './options.js';
import type { Settings } from './settings.js';

/** Hands what a server asks to whoever answers it, with a limit on the time that may take. */
export class InputDesk {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  handlerFor(request: InputRequest, call: Call | undefined): InputHandler | undefined {
    const own = call?.options.onInput;
    if (own !== undefined) return own;
    const { handlers } = this.#settings;
    switch (request.method) {
      case 'elicitation/create':
        return handlers.elicitation;
      case 'sampling/createMessage':
        return handlers.sampling;
      case 'roots/list':
        return handlers.roots;
    }
  }

  /** Rejects with `ClientError` code `aborted` or `timeout` when the answer came too late, else as the handler does. */
  answer(
    request: InputRequest,
    handler: InputHandler,
    asked: Omit<InputContext, 'signal'>,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { clock, timeouts, formDefaults } = this.#settings;
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      const give = (error: Error): void => {
        finish();
        reject(error);
        controller.abort(error);
      };
      const onAbort = (): void => {
        give(new ClientError('aborted', 'the answer is no longer wanted'));
      };
      const cancelTimer = clock.after(timeouts.inputMs, () => {
        give(new ClientError('timeout', 'the handler took too long'));
      });
      const finish = (): void => {
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) {
        onAbort();
        return;
      }
      run(handler, request, { ...asked, signal: controller.signal })
        .then((answer) => resolve(formDefaults ? withFormDefaults(request, answer) : answer))
        .catch((error: unknown) => reject(toError(error)))
        .finally(finish);
    });
  }
}

async function run(handler: InputHandler, request: InputRequest, context: InputContext): Promise<JsonObject> {
  const answer = await handler(request, context);
  if (!isObject(answer)) throw new ClientError('input_failed', 'the handler returned no object');
  return answer;
}

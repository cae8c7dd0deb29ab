import {
  InputRefused,
  type InputHandler,
  type InputHandlers,
  type RawCallOptions,
} from '../mcp/client/index.js';
import { METHOD_NOT_FOUND, ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest } from '../mcp/model/index.js';
import type { AskCaller, RoundOptions } from './upstream.js';

/** The options of a call whose caller can be asked. */
export function withInput(options: RoundOptions, ask: AskCaller): RawCallOptions {
  const onInput = toHandler(ask);
  const { onAbort, onProgress, onLog, logLevel, meta, capabilities, inputResponses, requestState } = options;
  return {
    // Where there is `onAbort` a signal is made only for those who need one.
    get signal() {
      return options.signal as AbortSignal;
    },
    onInput,
    // Found again in the calls that a question may belong to.
    tag: onInput,
    ...(onAbort && { onAbort }),
    ...(onProgress && { onProgress }),
    ...(onLog && { onLog }),
    ...(logLevel && { logLevel }),
    ...(meta && { meta }),
    ...(capabilities && { capabilities }),
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

function toHandler(ask: AskCaller): InputHandler {
  return async (question, { signal }) => (await ask(question, signal)) ?? refusal(question);
}

/**
 * Who answers a question that came with no call, over a pipe or the stream that belongs to no request: the caller of the
 * only call it can be about. With two of them it is nobody's, because it must never reach the wrong one.
 */
const attribute: InputHandler = (question, context) => {
  const [only, ...others] = context.candidates;
  const handler = only?.tag;
  return typeof handler === 'function' && others.length === 0
    ? (handler as InputHandler)(question, context)
    : nobody(question);
};

export const UNATTRIBUTED: InputHandlers = { elicitation: attribute, sampling: attribute, roots: attribute };

/** Says no in the way the question allows. */
function refusal({ method }: InputRequest): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new InputRefused('nobody can be asked');
}

/** Asked outside of any call, somebody without roots has none to tell. */
function nobody(question: InputRequest): JsonObject {
  if (question.method === 'roots/list') throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
  return refusal(question);
}

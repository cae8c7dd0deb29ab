import {
  InputRefused,
  type InputHandler,
  type InputHandlers,
  type OngoingCall,
  type RawCallOptions,
} from '../mcp/client/index.js';
import { METHOD_NOT_FOUND, ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest } from '../mcp/model/index.js';
import { changedOptions } from './changed-options.js';
import type { RecentCallers } from './recent-callers.js';
import type { AskCaller, RoundOptions } from './upstream.js';

/** The options of a call for the client: of one whose caller can be asked, with how; of all others as they are. */
export function withInput(options: RoundOptions): RawCallOptions {
  if (options.ask === undefined) return options;
  const onInput = toHandler(options.ask);
  // The tag is found again in the calls that a question may belong to.
  return changedOptions(options, { onInput, tag: new Asked(onInput, options.askedAs) });
}

function toHandler(ask: AskCaller): InputHandler {
  return async (question, { signal }) => {
    const refusals: ProtocolError[] = [];
    const answer = await ask(question, signal, (error) => refusals.push(error));
    const [words] = refusals;
    if (words !== undefined) throw words;
    return answer ?? refusal(question);
  };
}

/** Who can be asked about a call. */
class Asked {
  readonly handler: InputHandler;
  readonly caller: string | undefined;
  constructor(handler: InputHandler, caller: string | undefined) {
    this.handler = handler;
    this.caller = caller;
  }
}

/**
 * Who answers a question that came with no call, over a pipe or the stream that belongs to no request: the caller of the
 * only call it can be about. With two of them it is nobody's, because it must never reach the wrong one. So it is when
 * somebody else gave up a call just now, or got its answer by a way that a question can be overtaken on: the question may be
 * about that one.
 */
function attribute(onNobody: OnNobody, recent: RecentCallers | undefined): InputHandler {
  return (question, context) => {
    const [only, ...others] = context.candidates;
    const asked = only?.tag;
    const isOfOther = ({ tag }: OngoingCall): boolean =>
      !(tag instanceof Asked) || tag.caller === undefined || tag.caller !== (asked as Asked).caller;
    if (
      asked instanceof Asked &&
      others.length === 0 &&
      !context.abandoned.some(isOfOther) &&
      recent?.hasOther(asked.caller) !== true
    )
      return asked.handler(question, context);
    onNobody(question);
    return nobody(question);
  };
}

/** Hears of questions that nobody could be found for. */
export type OnNobody = (question: InputRequest) => void;

export function unattributed(onNobody: OnNobody, recent?: RecentCallers): InputHandlers {
  const handler = attribute(onNobody, recent);
  return { elicitation: handler, sampling: handler, roots: handler };
}

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

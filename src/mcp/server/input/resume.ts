import { INVALID_PARAMS, isObject, ProtocolError, type Json, type JsonObject } from '../../jsonrpc/index.js';
import { mayRequireInput } from '../../wire/index.js';
import type { ResumedRequest } from '../handler.js';
import { readInputResponses } from './input-answers.js';
import { requestContext } from './request-digest.js';
import type { StateSeal } from './state-seal.js';

/** What a modern client sent back of an earlier round. */
export interface Resume {
  /** Without the members that belong to the rounds. */
  readonly params: JsonObject;
  readonly resumed: ResumedRequest | undefined;
  /** Answers that `askClient` may give without asking: of this round and of those before. */
  readonly answers: Map<string, JsonObject>;
  readonly round: number;
}

/** Throws when the state was not sealed for this request, or the answers are malformed. */
export function readResume(
  principal: string,
  method: string,
  sent: JsonObject,
  seal: StateSeal,
): Resume | undefined {
  if (!mayRequireInput(method)) return undefined;
  if (sent['inputResponses'] === undefined && sent['requestState'] === undefined) return undefined;
  const { inputResponses, requestState, ...params } = sent;
  const responses = inputResponses === undefined ? {} : readInputResponses(inputResponses);
  const state =
    requestState === undefined ? undefined : openState(requestState, principal, method, params, seal);
  const answers = new Map<string, JsonObject>(Object.entries(state?.answers ?? {}));
  for (const [key, response] of Object.entries(responses)) answers.set(key, response);
  return { params, resumed: { responses, state: state?.own }, answers, round: state?.round ?? 0 };
}

interface State {
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly own: Json | undefined;
  readonly round: number;
}

function openState(
  sealed: Json,
  principal: string,
  method: string,
  params: JsonObject,
  seal: StateSeal,
): State {
  if (typeof sealed !== 'string') throw badState();
  const opened = seal.open(sealed, requestContext(principal, method, params));
  if (!isObject(opened)) throw badState();
  // We sealed it, so its shape is ours.
  const { answers, own, round } = opened as unknown as State;
  return { answers, own, round };
}

export function badState(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'requestState is not valid for this request');
}

export function sealState(
  principal: string,
  method: string,
  params: JsonObject,
  seal: StateSeal,
  state: State,
): string {
  const content = {
    answers: state.answers,
    round: state.round,
    ...(state.own !== undefined && { own: state.own }),
  };
  return seal.seal(content, requestContext(principal, method, params));
}

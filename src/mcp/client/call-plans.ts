import type { JsonObject } from '../jsonrpc/index.js';
import type { CallPlan } from './call.js';
import {
  toAnyResult,
  toCallResult,
  toCompletionResult,
  toPromptResult,
  toReadResult,
} from './result-shapes.js';

/** A tool may change the world: it is never called twice for one call of ours. */
export const TOOL_CALL: CallPlan = { shape: toCallResult, repeatable: false, extendable: true };
export const PROMPT: CallPlan = { shape: toPromptResult, repeatable: true, read: true, extendable: true };
export const READ: CallPlan = { shape: toReadResult, repeatable: true, read: true, extendable: true };
export const COMPLETION: CallPlan = { shape: toCompletionResult, repeatable: true, read: true };
/** A page is not repeated by itself: its cursor may belong to a session that is gone. */
export const PAGE: CallPlan = { shape: toAnyResult, repeatable: false, part: true };
/** Requests that set or ask the same thing however often they are sent. */
export const HARMLESS: CallPlan = { shape: toAnyResult, repeatable: true };
/** Methods we know nothing of. */
export const UNKNOWN: CallPlan = { shape: toAnyResult, repeatable: false };
/** One round of a call. Its result is checked like that of a whole one. */
export function roundOf(method: string): CallPlan {
  return ROUNDS.get(method) ?? UNKNOWN_ROUND;
}

function round(shape: (result: JsonObject) => unknown): CallPlan {
  return {
    shape: (result) => ({ type: 'complete', result: shape(result) }),
    repeatable: false,
    extendable: true,
    raw: true,
  };
}

const ROUNDS: ReadonlyMap<string, CallPlan> = new Map([
  ['tools/call', round(toCallResult)],
  ['prompts/get', round(toPromptResult)],
  ['resources/read', round(toReadResult)],
]);
const UNKNOWN_ROUND = round(toAnyResult);
/** A tool call whose caller follows tasks himself. */
export const STARTED: CallPlan = {
  shape: (result) => ({ type: 'complete', result: toCallResult(result) }),
  repeatable: false,
  extendable: true,
  hands: true,
};
/** Runs until one side ends it. */
export const LISTEN: CallPlan = { shape: toAnyResult, repeatable: false };

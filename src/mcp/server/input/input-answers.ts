import { INVALID_PARAMS, isObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.js';
import type { ClientCapabilities, InputRequest, InputRequests, InputResponses } from '../../model/index.js';
import { missingCapability, missingForInput } from '../../wire/index.js';

/** Throws unless the client declared that it can be asked all of this. */
export function requireAskable(requests: InputRequests, capabilities: ClientCapabilities): void {
  let missing: Record<string, unknown> | undefined;
  for (const request of Object.values(requests)) {
    const required = missingForInput(request, capabilities);
    if (required === undefined) continue;
    missing ??= {};
    for (const [kind, settings] of Object.entries(required)) {
      missing[kind] = { ...(missing[kind] as JsonObject | undefined), ...(settings as JsonObject) };
    }
  }
  if (missing !== undefined) {
    throw missingCapability(`The client did not declare: ${Object.keys(missing).join(', ')}`, missing);
  }
}

/** What a client sent as answers: an object of result objects. */
export function readInputResponses(value: unknown): InputResponses {
  if (!isObject(value)) throw new ProtocolError(INVALID_PARAMS, 'inputResponses must be an object');
  for (const key in value) {
    if (!isObject(value[key])) {
      throw new ProtocolError(INVALID_PARAMS, 'each of inputResponses must be a result object');
    }
  }
  return value as InputResponses;
}

const ACTIONS = new Set<unknown>(['accept', 'decline', 'cancel']);

/** Throws unless the answer has the shape of answers to this kind of question. */
export function requireAnswer(request: InputRequest, answer: JsonObject): void {
  switch (request.method) {
    case 'elicitation/create':
      if (!ACTIONS.has(answer['action'])) throw malformed('an elicitation is answered with an action');
      if (answer['content'] !== undefined && !isObject(answer['content'])) {
        throw malformed('the content of an answered form is an object');
      }
      return;
    case 'sampling/createMessage':
      if (typeof answer['role'] !== 'string' || typeof answer['content'] !== 'object') {
        throw malformed('a sampling request is answered with a message');
      }
      return;
    case 'roots/list':
      if (!Array.isArray(answer['roots'])) throw malformed('roots/list is answered with roots');
  }
}

function malformed(message: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message);
}

/** The answers to these questions among all answers; undefined while one is missing. */
export function pickAnswers(
  requests: InputRequests,
  answers: ReadonlyMap<string, JsonObject>,
): InputResponses | undefined {
  const picked: [string, JsonObject][] = [];
  for (const key in requests) {
    const answer = answers.get(key);
    if (answer === undefined) return undefined;
    picked.push([key, answer]);
  }
  return Object.fromEntries(picked);
}

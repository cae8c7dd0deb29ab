import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../jsonrpc/index.js';
import type { InputRequest } from '../../model/index.js';
import { toLegacyInput } from '../../wire/index.js';
import { requireAnswer } from '../input/input-answers.js';
import { readResponse, Unanswered } from './ask-desk.js';
import type { OnRefused } from '../handler.js';
import type { PeerSession } from './legacy-peer.js';

/** Puts one question to a client as a live request. Rejects with `Unanswered` when there is no proper answer. */
export async function askLegacyClient(
  session: PeerSession,
  request: InputRequest,
  owner: unknown,
  push: (text: string) => boolean,
  withdrawn?: AbortSignal,
  onRefused?: OnRefused,
): Promise<JsonObject> {
  const live = toLegacyInput(request, session.revision, randomUUID);
  if (typeof live === 'string') throw new Unanswered(`The client cannot be asked: ${live}`);
  const response = readResponse(await session.asks.ask(live.method, live.params, owner, push, withdrawn));
  if (response instanceof Unanswered) {
    if (response.refusal !== undefined) onRefused?.(response.refusal);
    // A form that is refused outright is a form that was not filled in; for the other kinds there is no such answer.
    if (request.method === 'elicitation/create') return { action: 'cancel' };
    throw response;
  }
  try {
    requireAnswer(request, response);
  } catch {
    throw new Unanswered('The client sent a malformed answer');
  }
  return response;
}

import { INVALID_REQUEST, ProtocolError, type RequestId } from '../jsonrpc/index.js';
import type { Core } from './core.js';
import type { Exchange } from './exchange.js';
import { sendError } from './http/answers.js';
import type { Accepted } from './http/media-types.js';

/** Answers 406 and returns false when the client accepts nothing that an answer could be. */
export function requireAcceptable(
  core: Core,
  exchange: Exchange,
  accepted: Accepted,
  id: RequestId | null,
): boolean {
  const fine = core.strictAccept
    ? accepted.json && accepted.events
    : accepted.json || (accepted.events && core.streaming);
  if (!fine) {
    const message = 'Not acceptable: the answer is application/json or text/event-stream';
    sendError(exchange, 406, id, new ProtocolError(INVALID_REQUEST, message));
  }
  return fine;
}

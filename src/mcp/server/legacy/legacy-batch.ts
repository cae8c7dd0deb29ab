import {
  INVALID_REQUEST,
  InvalidMessage,
  isObject,
  ProtocolError,
  toMessage,
  writeError,
  type Json,
  type Message,
} from '../../jsonrpc/index.js';
import {
  allowsBatches,
  claimsModern,
  HEADER_REVISION,
  HEADER_SESSION,
  isModernDate,
} from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { sendAccepted, sendError } from '../http/answers.js';
import type { Accepted } from '../http/media-types.js';
import { requireAcceptable } from '../require-acceptable.js';
import { dispatchLegacy, noticeLegacy } from './dispatch-legacy.js';
import type { SessionFinder } from './find-session.js';
import type { HttpSession } from './http-session.js';
import type { LegacyMode } from './legacy-post.js';
import { requireServedRevision } from './legacy-refusals.js';
import { SessionReply } from './session-reply.js';

/** Serves arrays of messages, which one revision of the handshake era had. */
export class LegacyBatch {
  readonly #core: Core;
  readonly #mode: LegacyMode;
  readonly #finder: SessionFinder;

  constructor(core: Core, mode: LegacyMode, finder: SessionFinder) {
    this.#core = core;
    this.#mode = mode;
    this.#finder = finder;
  }

  serve(exchange: Exchange, principal: string, values: readonly Json[], accepted: Accepted): void {
    const impossible =
      this.#mode !== 'sessions' ||
      exchange.headers[HEADER_SESSION] === undefined ||
      isModernDate(exchange.headers[HEADER_REVISION]);
    if (impossible || values.length === 0 || values.some(isForbidden)) {
      this.#refuse(exchange, 'Batches are not accepted');
    } else if (values.length > this.#core.limits.batch) {
      this.#core.observe({ type: 'limit_reached', limit: 'batch' });
      this.#refuse(exchange, 'The batch is too long');
    } else if (requireServedRevision(exchange, null)) {
      this.#finder.find(exchange, principal, null, (session) => {
        if (allowsBatches(session.revision)) this.#run(exchange, session, values, accepted);
        else this.#refuse(exchange, 'Batches are not accepted');
      });
    }
  }

  #run(exchange: Exchange, session: HttpSession, values: readonly Json[], accepted: Accepted): void {
    const core = this.#core;
    const messages = values.map(toMessageOrFault);
    const answered = messages.filter((each) => each instanceof ProtocolError || each.kind === 'request');
    if (answered.length > 0 && !requireAcceptable(core, exchange, accepted, null)) return;
    const ids = messages.flatMap((each) => ('kind' in each && each.kind === 'request' ? [each.id] : []));
    const reply = new SessionReply(core, exchange, accepted, session, ids, answered.length);
    for (const message of messages) {
      if (message instanceof InvalidMessage) {
        reply.answer(writeError(message.id ?? null, message.toErrorObject()), 200);
      } else if (message.kind === 'request') {
        dispatchLegacy(core, session, message, reply, exchange.headers);
      } else if (message.kind === 'notification') {
        void noticeLegacy(session, message);
      } else {
        session.settle(message);
      }
    }
    if (answered.length === 0) sendAccepted(exchange);
    else reply.wait();
  }

  #refuse(exchange: Exchange, message: string): void {
    sendError(exchange, 400, null, new ProtocolError(INVALID_REQUEST, message));
  }
}

/** Neither the handshake nor a message of the other era may be part of a batch. */
function isForbidden(value: Json): boolean {
  if (!isObject(value)) return false;
  const { method, params } = value;
  return method === 'initialize' || (isObject(params) && claimsModern(params));
}

function toMessageOrFault(value: Json): Message | InvalidMessage {
  try {
    return toMessage(value);
  } catch (error) {
    if (error instanceof InvalidMessage) return error;
    throw error;
  }
}

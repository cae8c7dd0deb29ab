import {
  INVALID_REQUEST,
  InvalidMessage,
  isObject,
  ProtocolError,
  toMessage,
  writeError,
  type Json,
  type Message,
  type RequestId,
  type ResponseMessage,
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
import { HttpReply } from '../http/http-reply.js';
import type { Accepted } from '../http/media-types.js';
import { whenReady } from '../maybe-promise.js';
import { requireAcceptable } from '../require-acceptable.js';
import { dispatchLegacy, noticeLegacy } from './dispatch-legacy.js';
import type { SessionFinder } from './find-session.js';
import type { HttpSession } from './http-session.js';
import { createStatelessPeer, statelessRevision, type LegacyPeer } from './legacy-peer.js';
import type { LegacyMode } from './legacy-post.js';
import { isServed, requireServedRevision } from './legacy-refusals.js';
import { SessionReply } from './session-reply.js';

/** Where an array came from, and where its answers go. */
interface Batch {
  readonly exchange: Exchange;
  readonly accepted: Accepted;
  readonly peer: LegacyPeer;
  readonly makeReply: (ids: readonly RequestId[], count: number) => HttpReply;
  /** For what the client answers. */
  readonly settle: (message: ResponseMessage) => void;
}

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
      this.#mode === 'off' ||
      (this.#mode === 'sessions' && exchange.headers[HEADER_SESSION] === undefined) ||
      isModernDate(exchange.headers[HEADER_REVISION]);
    if (impossible || values.length === 0 || values.some(isForbidden)) {
      this.#refuse(exchange, 'Batches are not accepted');
    } else if (values.length > this.#core.limits.batch) {
      this.#core.observe({ type: 'limit_reached', limit: 'batch' });
      this.#refuse(exchange, 'The batch is too long');
    } else if (!requireServedRevision(exchange, null)) {
      return;
    } else if (this.#mode === 'sessions') {
      this.#finder.find(exchange, principal, null, (session) => {
        if (allowsBatches(session.revision)) this.#inSession(exchange, session, values, accepted);
        else this.#refuse(exchange, 'Batches are not accepted');
      });
    } else {
      this.#stateless(exchange, principal, values, accepted);
    }
  }

  #inSession(exchange: Exchange, session: HttpSession, values: readonly Json[], accepted: Accepted): void {
    const makeReply = (ids: readonly RequestId[], count: number): HttpReply =>
      new SessionReply(this.#core, exchange, accepted, session, ids, count);
    this.#run(
      { exchange, accepted, peer: session, makeReply, settle: (message) => session.settle(message) },
      values,
    );
  }

  #stateless(exchange: Exchange, principal: string, values: readonly Json[], accepted: Accepted): void {
    const core = this.#core;
    const revision = statelessRevision(exchange.headers);
    if (!allowsBatches(revision) || !isServed(revision, core.oldestRevision)) {
      this.#refuse(exchange, 'Batches are not accepted');
      return;
    }
    whenReady(
      core.describe(principal),
      (description) => {
        const peer = createStatelessPeer(principal, revision, description);
        const makeReply = (_ids: readonly RequestId[], count: number): HttpReply =>
          new HttpReply(core, exchange, accepted, count);
        this.#run({ exchange, accepted, peer, makeReply, settle: () => {} }, values);
      },
      (error) => this.#finder.failed(exchange, null, error),
    );
  }

  #run({ exchange, accepted, peer, makeReply, settle }: Batch, values: readonly Json[]): void {
    const core = this.#core;
    const messages = values.map(toMessageOrFault);
    const answered = messages.filter((each) => each instanceof ProtocolError || each.kind === 'request');
    if (answered.length > 0 && !requireAcceptable(core, exchange, accepted, null)) return;
    const ids = messages.flatMap((each) => ('kind' in each && each.kind === 'request' ? [each.id] : []));
    const reply = makeReply(ids, answered.length);
    for (const message of messages) {
      if (message instanceof InvalidMessage) {
        reply.answer(writeError(message.id ?? null, message.toErrorObject()), 200);
      } else if (message.kind === 'request') {
        dispatchLegacy(core, peer, message, reply, exchange.headers);
      } else if (message.kind === 'notification') {
        void noticeLegacy(peer, message);
      } else {
        settle(message);
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

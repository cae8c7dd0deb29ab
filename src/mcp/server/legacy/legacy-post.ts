import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  ProtocolError,
  type Message,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import { META_CLIENT_CAPABILITIES, META_REVISION, unsupportedRevision } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { sendAccepted, sendError } from '../http/answers.js';
import { HttpReply } from '../http/http-reply.js';
import type { Accepted } from '../http/media-types.js';
import { whenReady } from '../maybe-promise.js';
import { requireAcceptable } from '../require-acceptable.js';
import { dispatchLegacy, noticeLegacy } from './dispatch-legacy.js';
import type { SessionFinder } from './find-session.js';
import { Handshake } from './handshake.js';
import type { HttpSession } from './http-session.js';
import { createStatelessPeer, statelessRevision } from './legacy-peer.js';
import { requireServedRevision } from './legacy-refusals.js';
import type { SessionDesk } from './session-desk.js';
import { SessionReply } from './session-reply.js';

export type LegacyMode = 'sessions' | 'stateless' | 'off';

/** Serves single messages of the handshake era. */
export class LegacyPost {
  readonly #core: Core;
  readonly #mode: LegacyMode;
  readonly #finder: SessionFinder;
  readonly #handshake: Handshake;

  constructor(core: Core, mode: LegacyMode, sessions: SessionDesk, finder: SessionFinder) {
    this.#core = core;
    this.#mode = mode;
    this.#finder = finder;
    this.#handshake = new Handshake(core, sessions, finder, mode === 'stateless');
  }

  serve(exchange: Exchange, principal: string, message: Message, accepted: Accepted): void {
    const id = message.kind === 'request' ? message.id : null;
    if (this.#mode === 'off') {
      refuseEra(exchange, message);
      return;
    }
    if (!requireServedRevision(exchange, id)) return;
    if (message.kind === 'request' && !requireAcceptable(this.#core, exchange, accepted, message.id)) return;
    if (message.kind === 'request' && message.method === 'initialize') {
      this.#handshake.begin(exchange, principal, message, accepted);
    } else if (this.#mode === 'sessions') {
      this.#finder.find(exchange, principal, id, (session) =>
        this.#inSession(exchange, session, message, accepted),
      );
    } else if (message.kind === 'request') {
      this.#stateless(exchange, principal, message, accepted);
    } else {
      sendAccepted(exchange);
    }
  }

  #inSession(exchange: Exchange, session: HttpSession, message: Message, accepted: Accepted): void {
    const core = this.#core;
    switch (message.kind) {
      case 'request': {
        const reply = new SessionReply(core, exchange, accepted, session, message.id);
        if (!dispatchLegacy(core, session, message, reply, exchange.headers)) reply.wait();
        return;
      }
      case 'notification':
        whenReady(
          noticeLegacy(session, message),
          () => sendAccepted(exchange),
          (error) => this.#finder.failed(exchange, null, error),
        );
        return;
      case 'result':
      case 'error':
        session.settle(message);
        sendAccepted(exchange);
    }
  }

  #stateless(exchange: Exchange, principal: string, message: RequestMessage, accepted: Accepted): void {
    const core = this.#core;
    if (!requireServedRevision(exchange, message.id, core.oldestRevision)) return;
    const revision = statelessRevision(exchange.headers);
    whenReady(
      core.describe(principal),
      (description) => {
        const reply = new HttpReply(core, exchange, accepted);
        const peer = createStatelessPeer(principal, revision, description);
        if (!dispatchLegacy(core, peer, message, reply, exchange.headers)) reply.wait();
      },
      (error) => this.#finder.failed(exchange, message.id, error),
    );
  }
}

/** Clients of the handshake era are not served: they are told which versions are. */
function refuseEra(exchange: Exchange, message: Message): void {
  if (message.kind === 'notification') {
    sendAccepted(exchange);
  } else if (message.kind !== 'request') {
    sendError(exchange, 400, null, new ProtocolError(INVALID_REQUEST, 'Responses are not accepted'));
  } else if (message.method === 'initialize') {
    const requested = message.params?.['protocolVersion'];
    sendError(exchange, 400, message.id, unsupportedRevision(typeof requested === 'string' ? requested : ''));
  } else {
    const text = `_meta needs ${META_REVISION} and ${META_CLIENT_CAPABILITIES}`;
    sendError(exchange, 400, message.id, new ProtocolError(INVALID_PARAMS, text));
  }
}

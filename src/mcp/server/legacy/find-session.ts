import { INTERNAL_ERROR, ProtocolError, type RequestId } from '../../jsonrpc/index.js';
import { HEADER_REVISION, HEADER_SESSION, isLegacyRevision } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { sendError, sendRefusal, withHeader } from '../http/answers.js';
import { whenReady } from '../maybe-promise.js';
import type { HttpSession } from './http-session.js';
import { NOT_INITIALIZED, requireServedRevision, SESSION_NOT_FOUND } from './legacy-refusals.js';
import type { SessionDesk } from './session-desk.js';
import { StoreUnavailable } from './session-store.js';

const SESSION_ID = /^[\x21-\x7e]{1,256}$/;

/** Finds the session that a request names, for the principal it came from, or answers why there is none. */
export class SessionFinder {
  readonly #core: Core;
  readonly #sessions: SessionDesk;

  constructor(core: Core, sessions: SessionDesk) {
    this.#core = core;
    this.#sessions = sessions;
  }

  find(
    exchange: Exchange,
    principal: string,
    id: RequestId | null,
    next: (session: HttpSession) => void,
  ): void {
    const named = exchange.headers[HEADER_SESSION];
    if (named === undefined || !SESSION_ID.test(named)) {
      const problem = named === undefined ? 'required' : 'malformed';
      sendError(exchange, 400, id, new ProtocolError(NOT_INITIALIZED, `Mcp-Session-Id header is ${problem}`));
      return;
    }
    whenReady(
      this.#sessions.find(principal, named),
      (session) => {
        if (session === undefined) {
          notFound(exchange, id);
          return;
        }
        // Only now: whose session was of that version is to begin anew instead.
        if (!requireServedRevision(exchange, id, this.#core.oldestRevision)) return;
        this.#compareRevision(exchange, session);
        next(session);
      },
      (error) => this.failed(exchange, id, error),
    );
  }

  /** A session that was found is over by now; where it is this process that ends, another one may go on with it. */
  ended(exchange: Exchange): void {
    if (!this.#core.draining) notFound(exchange, null);
    else
      sendRefusal(
        exchange,
        503,
        INTERNAL_ERROR,
        'The server is shutting down',
        withHeader('retry-after', '5'),
      );
  }

  /** A port did not do its duty. */
  failed(exchange: Exchange, id: RequestId | null, error: unknown): void {
    this.#core.observe({ type: 'port_failed', port: 'sessions', error });
    if (error instanceof StoreUnavailable) {
      const later = new ProtocolError(INTERNAL_ERROR, 'Sessions cannot be looked up at the moment');
      sendError(exchange, 503, id, later, withHeader('retry-after', '1'));
    } else {
      sendError(exchange, 500, id, new ProtocolError(INTERNAL_ERROR, 'Internal error'));
    }
  }

  /** The session knows its version; clients that name another one are served all the same. */
  #compareRevision(exchange: Exchange, session: HttpSession): void {
    const named = exchange.headers[HEADER_REVISION];
    if (named !== undefined && named !== session.revision && isLegacyRevision(named)) {
      this.#core.observe({ type: 'revision_differs' });
    }
  }
}

function notFound(exchange: Exchange, id: RequestId | null): void {
  sendError(exchange, 404, id, new ProtocolError(SESSION_NOT_FOUND, 'Session not found'));
}

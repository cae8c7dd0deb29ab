import {
  INTERNAL_ERROR,
  isObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  writeError,
  writeResult,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import {
  checkModernRequest,
  checkParamHeaders,
  mayRequireInput,
  statusOfModernRejection,
  type Envelope,
} from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import type { Handler } from '../handler.js';
import { sendError } from '../http/answers.js';
import { HttpReply } from '../http/http-reply.js';
import type { Accepted } from '../http/media-types.js';
import { whenReady } from '../maybe-promise.js';
import { requireAcceptable } from '../require-acceptable.js';
import { writeDiscovery } from './discovery.js';
import { badState } from '../input/resume.js';
import type { ListenDesk } from './listen-desk.js';
import { openListenStream } from './listen-stream.js';
import type { ModernCall } from './modern-call.js';
import { prepareModernCall, type ModernRequest } from './prepare-modern-call.js';

/** Serves requests that carry everything they need. Checks come in the order the specification gives them. */
export class ModernPost {
  readonly #core: Core;
  readonly #listens: ListenDesk;

  constructor(core: Core, listens: ListenDesk) {
    this.#core = core;
    this.#listens = listens;
  }

  request(exchange: Exchange, principal: string, message: RequestMessage, accepted: Accepted): void {
    let envelope: Envelope;
    try {
      envelope = checkModernRequest(message, exchange.headers);
    } catch (error) {
      this.#reject(exchange, message, error);
      return;
    }
    const failed = (error: unknown): void => this.#reject(exchange, message, error);
    whenReady(
      this.#core.describe(principal),
      (description) => this.#dispatch(exchange, principal, message, accepted, envelope, description),
      failed,
    );
  }

  #dispatch(
    exchange: Exchange,
    principal: string,
    message: RequestMessage,
    accepted: Accepted,
    envelope: Envelope,
    description: ServerDescription,
  ): void {
    const core = this.#core;
    try {
      const { method } = message;
      if (method === 'subscriptions/listen') {
        openListenStream(core, this.#listens, exchange, accepted, {
          principal,
          message,
          envelope,
          description,
        });
        return;
      }
      const handler =
        method === 'server/discover'
          ? undefined
          : core.findHandler(method, description.capabilities, 'modern');
      if (handler === undefined && method !== 'server/discover') {
        throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
      }
      if (!requireAcceptable(core, exchange, accepted, message.id)) return;
      const reply = new HttpReply(core, exchange, accepted);
      if (handler === undefined) {
        reply.answer(writeResult(message.id, writeDiscovery(description, core.cache)), 200);
        return;
      }
      if (method === 'tools/call') this.#checkParamHeaders(exchange, principal, message);
      const { headers } = exchange;
      this.#run(handler, { core, message, envelope, description, principal, reply, headers });
    } catch (error) {
      this.#reject(exchange, message, error);
    }
  }

  #run(handler: Handler, request: ModernRequest & { readonly reply: HttpReply }): void {
    const { reply } = request;
    const { id } = request.message;
    let call: ModernCall;
    try {
      call = prepareModernCall(request);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      reply.answer(writeError(id, error.toErrorObject()), 200);
      return;
    }
    const { method, params } = request.message;
    // Elsewhere it is a member like any other: nobody opened it, so it proves nothing and must not use it up.
    const brought = mayRequireInput(method) ? params?.['requestState'] : undefined;
    const { claimState } = this.#core;
    if (claimState === undefined || typeof brought !== 'string') {
      start(call, handler, reply);
      return;
    }
    // It opened here, so it is ours; whether it was opened elsewhere or before is known to all.
    const refuse = (error: ProtocolError, status: number): void => {
      reply.answer(writeError(id, error.toErrorObject()), status);
    };
    whenReady(
      claimState(brought),
      (isFirst) => (isFirst ? start(call, handler, reply) : refuse(badState(), 200)),
      (error) => {
        this.#core.observe({ type: 'port_failed', port: 'claimState', error });
        // The same request may be sent again.
        this.#core.seal.reopen?.(brought);
        const later = new ProtocolError(INTERNAL_ERROR, 'requestState cannot be looked up at the moment');
        refuse(later, 503);
      },
    );
  }

  #checkParamHeaders(exchange: Exchange, principal: string, message: RequestMessage): void {
    const name = message.params?.['name'];
    if (this.#core.paramHeaders === undefined || typeof name !== 'string') return;
    const params = this.#core.paramHeaders(name, principal);
    const args = message.params?.['arguments'];
    if (params !== undefined && params.length > 0) {
      checkParamHeaders(params, isObject(args) ? args : undefined, exchange.headers);
    }
  }

  #reject(exchange: Exchange, message: RequestMessage, error: unknown): void {
    if (error instanceof ProtocolError) {
      sendError(exchange, statusOfModernRejection(error.code), message.id, error);
      return;
    }
    this.#core.observe({ type: 'port_failed', port: 'describe', error });
    sendError(exchange, 500, message.id, new ProtocolError(INTERNAL_ERROR, 'Internal error'));
  }
}

function start(call: ModernCall, handler: Handler, reply: HttpReply): void {
  call.run(handler);
  if (call.done) return;
  reply.onGone = () => call.cancel();
  reply.wait();
}

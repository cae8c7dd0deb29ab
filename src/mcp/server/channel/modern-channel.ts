import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
  writeError,
  writeResult,
  type RequestId,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import { META_REVISION, metaOf, readModernEnvelope, type Envelope } from '../../wire/index.js';
import type { Core } from '../core.js';
import { whenReady } from '../maybe-promise.js';
import { writeDiscovery } from '../modern/discovery.js';
import type { ListenCall, ListenOutlet } from '../modern/listen-call.js';
import type { ListenDesk } from '../modern/listen-desk.js';
import type { ModernCall } from '../modern/modern-call.js';
import { prepareModernCall } from '../modern/prepare-modern-call.js';
import type { Reply } from '../reply.js';
import type { ChannelWriter } from './channel-reply.js';

/** Modern requests over a channel: no headers to check, and cancelling is a message. */
export class ModernChannel {
  readonly #core: Core;
  readonly #listens: ListenDesk;
  readonly #writer: ChannelWriter;
  readonly #principal: string;
  /** Requests of which it is not known yet what there is for them. */
  readonly #waiting = new Map<RequestId, RequestMessage>();
  readonly #calls = new Map<RequestId, ModernCall>();
  readonly #open = new Map<RequestId, ListenCall>();

  constructor(core: Core, listens: ListenDesk, writer: ChannelWriter, principal: string) {
    this.#core = core;
    this.#listens = listens;
    this.#writer = writer;
    this.#principal = principal;
  }

  request(message: RequestMessage, reply: Reply): void {
    const { id } = message;
    const failed = (error: unknown): void => this.#failed(id, reply, error);
    try {
      const named = metaOf(message.params)?.[META_REVISION];
      const envelope = readModernEnvelope(message, typeof named === 'string' ? named : '');
      this.#admit(id);
      const description = this.#core.describe(this.#principal);
      this.#waiting.set(id, message);
      whenReady(
        description,
        (known) => {
          if (this.#leaveWaiting(message)) this.#dispatch(message, reply, envelope, known);
          else reply.drop();
        },
        (error) => {
          this.#leaveWaiting(message);
          failed(error);
        },
      );
    } catch (error) {
      failed(error);
    }
  }

  cancel(id: RequestId): void {
    this.#waiting.delete(id);
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.cancel();
    const listen = this.#open.get(id);
    if (listen === undefined) return;
    this.#open.delete(id);
    this.#listens.end(listen);
  }

  close(): void {
    this.#waiting.clear();
    for (const call of this.#calls.values()) call.cancel();
    this.#calls.clear();
    for (const listen of this.#open.values()) this.#listens.end(listen);
    this.#open.clear();
  }

  /** False where it was taken back meanwhile. */
  #leaveWaiting(message: RequestMessage): boolean {
    return this.#waiting.get(message.id) === message && this.#waiting.delete(message.id);
  }

  #admit(id: RequestId): void {
    for (const [known, call] of this.#calls) if (call.done) this.#calls.delete(known);
    if (this.#calls.has(id) || this.#open.has(id) || this.#waiting.has(id)) {
      throw new ProtocolError(INVALID_REQUEST, 'The id is in use by a request in flight');
    }
    if (this.#calls.size + this.#waiting.size >= this.#core.limits.inFlightPerSession) {
      this.#core.observe({ type: 'limit_reached', limit: 'in_flight' });
      throw new ProtocolError(INTERNAL_ERROR, 'Too many requests in flight');
    }
  }

  #dispatch(message: RequestMessage, reply: Reply, envelope: Envelope, description: ServerDescription): void {
    const core = this.#core;
    const { id, method } = message;
    if (method === 'subscriptions/listen') {
      this.#listen(message, reply, envelope, description);
      return;
    }
    if (method === 'server/discover') {
      reply.answer(writeResult(id, writeDiscovery(description, core.cache)), 200);
      return;
    }
    const handler = core.findHandler(method, description.capabilities, 'modern');
    if (handler === undefined) throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
    const call = prepareModernCall({
      core,
      message,
      reply,
      envelope,
      description,
      principal: this.#principal,
    });
    call.run(handler);
    if (!call.done) this.#calls.set(id, call);
  }

  #listen(message: RequestMessage, reply: Reply, envelope: Envelope, description: ServerDescription): void {
    const { id } = message;
    const outlet: ListenOutlet = {
      send: (text) => this.#writer.send(text),
      end: (text) => {
        this.#open.delete(id);
        this.#writer.send(text);
      },
      refuse: (error) => {
        this.#open.delete(id);
        reply.answer(writeError(id, error.toErrorObject()), 200);
      },
    };
    const call = this.#listens.start({ principal: this.#principal, message, envelope, description, outlet });
    if (!call.over) this.#open.set(id, call);
  }

  #failed(id: RequestId, reply: Reply, error: unknown): void {
    if (!(error instanceof ProtocolError))
      this.#core.observe({ type: 'port_failed', port: 'describe', error });
    const shown =
      error instanceof ProtocolError ? error : new ProtocolError(INTERNAL_ERROR, 'Internal error');
    reply.answer(writeError(id, shown.toErrorObject()), 200);
  }
}

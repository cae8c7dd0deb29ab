import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  InvalidMessage,
  JsonError,
  PARSE_ERROR,
  parseJson,
  ProtocolError,
  STRICT_JSON,
  toMessage,
  writeError,
  writeResult,
  type Json,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import type { MessageChannel } from '../../transports/index.js';
import {
  allowsBatches,
  classifyInbound,
  META_CLIENT_CAPABILITIES,
  META_REVISION,
  unsupportedRevision,
} from '../../wire/index.js';
import type { Core } from '../core.js';
import { dispatchLegacy, noticeLegacy } from '../legacy/dispatch-legacy.js';
import { writeInitializeResult } from '../legacy/handshake.js';
import { NOT_INITIALIZED } from '../legacy/legacy-refusals.js';
import { readInitialize } from '../legacy/read-initialize.js';
import { whenReady } from '../maybe-promise.js';
import type { ListenDesk } from '../modern/listen-desk.js';
import type { Reply } from '../reply.js';
import { ChannelBatchReply, ChannelReply, ChannelWriter } from './channel-reply.js';
import { ChannelSession } from './channel-session.js';
import { ModernChannel } from './modern-channel.js';

const NO_HEADERS = {};

/** One client over a channel of its own. Both eras may be spoken on it; the handshake opens its one session. */
export class ChannelFace {
  readonly #core: Core;
  readonly #channel: MessageChannel;
  readonly #principal: string;
  readonly #writer: ChannelWriter;
  readonly #modern: ModernChannel;
  readonly #servesLegacy: boolean;
  #session: ChannelSession | undefined;
  #closed = false;

  constructor(
    core: Core,
    listens: ListenDesk,
    servesLegacy: boolean,
    channel: MessageChannel,
    principal: string,
  ) {
    this.#core = core;
    this.#channel = channel;
    this.#principal = principal;
    this.#servesLegacy = servesLegacy;
    this.#writer = new ChannelWriter(channel);
    this.#modern = new ModernChannel(core, listens, this.#writer, principal);
  }

  open(onOver: () => void): void {
    this.#channel.onClose(() => {
      this.#over();
      onOver();
    });
    this.#channel.onMessage((text) => this.#receive(text));
  }

  async close(): Promise<void> {
    this.#over();
    await this.#channel.close();
  }

  #over(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#modern.close();
    this.#session?.end('closed');
  }

  #receive(text: string): void {
    if (this.#closed) return;
    try {
      const value = parseJson(text, STRICT_JSON);
      if (Array.isArray(value)) this.#batch(value);
      else this.#message(toMessage(value), new ChannelReply(this.#writer));
    } catch (error) {
      this.#writer.send(writeError(idOf(error), this.#toError(error).toErrorObject()));
    }
  }

  #toError(error: unknown): ProtocolError {
    if (error instanceof ProtocolError) return error;
    if (error instanceof JsonError) {
      return error.fault === 'syntax'
        ? new ProtocolError(PARSE_ERROR, 'Parse error')
        : new ProtocolError(INVALID_REQUEST, error.message);
    }
    this.#core.observe({ type: 'port_failed', port: 'server', error });
    return new ProtocolError(INTERNAL_ERROR, 'Internal error');
  }

  #batch(values: readonly Json[]): void {
    const session = this.#session;
    const fits = values.length > 0 && values.length <= this.#core.limits.batch;
    if (session === undefined || !allowsBatches(session.revision) || !fits) {
      throw new ProtocolError(INVALID_REQUEST, 'The batch is not accepted');
    }
    const messages = values.map((value): Message | ProtocolError => {
      try {
        return toMessage(value);
      } catch (error) {
        return this.#toError(error);
      }
    });
    const answered = messages.filter(
      (each) => each instanceof ProtocolError || each.kind === 'request',
    ).length;
    const reply = new ChannelBatchReply(this.#writer, answered);
    for (const message of messages) {
      if (message instanceof ProtocolError) reply.answer(writeError(idOf(message), message.toErrorObject()));
      else this.#message(message, reply);
    }
  }

  #message(message: Message, reply: Reply): void {
    switch (message.kind) {
      case 'request':
        this.#request(message, reply);
        return;
      case 'notification':
        this.#notice(message);
        return;
      case 'result':
      case 'error':
        if (this.#session?.asks.settle(message) !== true) this.#core.observe({ type: 'unknown_response' });
    }
  }

  #request(message: RequestMessage, reply: Reply): void {
    const { id } = message;
    const refuse = (error: ProtocolError): void => {
      reply.answer(writeError(id, error.toErrorObject()), 400);
    };
    try {
      const isModern = classifyInbound(message, NO_HEADERS) === 'modern';
      if (this.#core.draining) refuse(new ProtocolError(INTERNAL_ERROR, 'The server is shutting down'));
      else if (isModern) this.#modern.request(message, reply);
      else if (!this.#servesLegacy) refuse(refuseEra(message));
      else if (this.#session !== undefined) dispatchLegacy(this.#core, this.#session, message, reply);
      else if (message.method === 'initialize') this.#initialize(message, reply, refuse);
      else if (message.method === 'ping') reply.answer(writeResult(id, '{}'), 200);
      else refuse(new ProtocolError(NOT_INITIALIZED, 'Not initialised'));
    } catch (error) {
      refuse(this.#toError(error));
    }
  }

  #notice(message: NotificationMessage): void {
    const id = message.params?.['requestId'];
    if (message.method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number')) {
      this.#modern.cancel(id);
    }
    if (this.#session !== undefined) void noticeLegacy(this.#session, message);
  }

  #initialize(message: RequestMessage, reply: Reply, refuse: (error: ProtocolError) => void): void {
    whenReady(
      this.#core.describe(this.#principal),
      (description) => {
        if (this.#session !== undefined || this.#closed) {
          refuse(new ProtocolError(INVALID_REQUEST, 'The session is initialised already'));
          return;
        }
        const { revision, client } = readInitialize(message.params, this.#core.oldestRevision);
        this.#session = new ChannelSession(
          this.#core,
          this.#writer,
          {
            id: '',
            principal: this.#principal,
            revision,
            client,
            createdAt: this.#core.now(),
            initialized: false,
            logLevel: undefined,
          },
          description,
        );
        this.#core.observe({ type: 'session_opened' });
        reply.answer(writeResult(message.id, writeInitializeResult(revision, description)), 200);
      },
      (error) => refuse(this.#toError(error)),
    );
  }
}

function idOf(error: unknown): RequestId | null {
  return error instanceof InvalidMessage ? (error.id ?? null) : null;
}

function refuseEra(message: RequestMessage): ProtocolError {
  if (message.method === 'initialize') {
    const requested = message.params?.['protocolVersion'];
    return unsupportedRevision(typeof requested === 'string' ? requested : '');
  }
  return new ProtocolError(INVALID_PARAMS, `_meta needs ${META_REVISION} and ${META_CLIENT_CAPABILITIES}`);
}

import { INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError } from '../../jsonrpc/index.js';
import { MISSING_CLIENT_CAPABILITY } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { sendError } from '../http/answers.js';
import { EventStream } from '../http/event-stream.js';
import type { Accepted } from '../http/media-types.js';
import type { ListenOutlet } from './listen-call.js';
import type { ListenDesk, ListenInit } from './listen-desk.js';

/** Serves a listening client over HTTP. Throws what is wrong with the request as a whole. */
export function openListenStream(
  core: Core,
  desk: ListenDesk,
  exchange: Exchange,
  accepted: Accepted,
  request: Omit<ListenInit, 'outlet'>,
): void {
  if (!core.streaming) throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
  const { id } = request.message;
  if (!accepted.events) {
    sendError(
      exchange,
      406,
      id,
      new ProtocolError(INVALID_REQUEST, 'Not acceptable: the answer is text/event-stream'),
    );
    return;
  }
  const outlet = new StreamOutlet(core, exchange, request.principal, request.message.id);
  const call = desk.start({ ...request, outlet });
  if (call.over) return;
  outlet.onOver = () => desk.end(call);
  exchange.onAbort(() => outlet.gone());
}

/** Opens the stream with the first message, so that a refusal can still be an ordinary answer. */
class StreamOutlet implements ListenOutlet {
  /** Called when the stream is over, whoever ended it. */
  onOver: (() => void) | undefined;
  readonly #core: Core;
  readonly #exchange: Exchange;
  readonly #principal: string;
  readonly #id: ListenInit['message']['id'];
  #stream: EventStream | undefined;
  #gone = false;

  constructor(core: Core, exchange: Exchange, principal: string, id: ListenInit['message']['id']) {
    this.#core = core;
    this.#exchange = exchange;
    this.#principal = principal;
    this.#id = id;
  }

  send(text: string): void {
    if (this.#gone) return;
    this.#stream ??= this.#open();
    this.#stream.send(text, false);
  }

  end(text: string): void {
    this.send(text);
    this.#stream?.end();
  }

  refuse(error: ProtocolError): void {
    if (this.#gone) return;
    sendError(this.#exchange, error.code === MISSING_CLIENT_CAPABILITY ? 400 : 200, this.#id, error);
  }

  gone(): void {
    this.#gone = true;
    if (this.#stream === undefined) this.onOver?.();
    else this.#stream.gone();
  }

  #open(): EventStream {
    const { listening } = this.#core;
    const stream = new EventStream(this.#core, this.#exchange);
    listening.add(stream, this.#principal, this.#exchange.headers);
    stream.onOver = () => {
      listening.delete(stream);
      this.onOver?.();
    };
    return stream;
  }
}

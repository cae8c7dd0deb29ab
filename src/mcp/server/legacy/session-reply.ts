import type { RequestId } from '../../jsonrpc/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import type { MessageStream } from '../http/event-stream.js';
import { HttpReply, type Expected } from '../http/http-reply.js';
import type { Accepted } from '../http/media-types.js';
import type { HttpSession } from './http-session.js';
import type { ResumableStream } from './resumable-stream.js';

/** The answer to a POST of a session. Its client may lose the connection and come back; that cancels nothing. */
export class SessionReply extends HttpReply {
  readonly #session: HttpSession;
  /** What is answered. */
  readonly #ids: RequestId | readonly RequestId[];
  #resumable: ResumableStream | undefined;

  constructor(
    core: Core,
    exchange: Exchange,
    accepted: Accepted,
    session: HttpSession,
    ids: RequestId | readonly RequestId[],
    expected?: Expected,
  ) {
    super(core, exchange, accepted, expected);
    this.#session = session;
    this.#ids = ids;
  }

  override disconnect(): void {
    this.#resumable?.disconnect();
  }

  protected override makeStream(): MessageStream {
    const connection = (this.connection = this.#session.connect(this.exchange));
    if (!this.#session.resumable) return connection;
    const stream = (this.#resumable = this.#session.answerStream(connection, this.#ids));
    connection.onOver = () => stream.detach(connection);
    if (this.#session.primes) this.core.parting?.add(this);
    return stream;
  }
}

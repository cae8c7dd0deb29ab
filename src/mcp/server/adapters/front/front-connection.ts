import type { Socket } from 'node:net';
import type { McpServer } from '../../mcp-server.js';
import { monotonic } from '../../monotonic.js';
import type { Entry } from '../entry.js';
import { endLingering } from '../linger.js';
import { refusalText } from '../refusal-text.js';
import type { AnswerTexts } from './answer-text.js';
import type { AnswerTurn, PendingAnswer } from './answer-turn.js';
import { FrontExchange } from './front-exchange.js';
import { readOrdinaryHead, type RequestHead } from './request-head.js';

/** Who answers at a path. */
export interface FrontTarget {
  readonly server: Pick<McpServer, 'handle'>;
  readonly entry: Entry;
}

export interface FrontLimits {
  /** Requests with more headers are not ordinary. */
  readonly maxHeaders: number;
  /** How long a connection may be silent before its first request. */
  readonly firstMs: number;
  /** How long between two requests. */
  readonly idleMs: number;
  /** What clients are told of that. */
  readonly announcedMs: number;
  /** How long a body may take. */
  readonly bodyMs: number;
  /** How long a client may take nothing of its answer. */
  readonly unreadMs: number;
}

/** What all connections share. */
export interface FrontHost {
  readonly texts: AnswerTexts;
  readonly turn: AnswerTurn;
  readonly limits: FrontLimits;
  find(path: string): FrontTarget | undefined;
  /** Hands a connection on. What it has sent so far has been put back. */
  pass(socket: Socket): void;
  gone(connection: FrontConnection): void;
}

type State = 'idle' | 'reading' | 'answering' | 'over';

/** Well below what Node's parser takes, so that only that decides what is too much. */
const MAX_HEAD_BYTES = 8 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const NO_BYTES = Buffer.alloc(0);

/** One connection: ordinary requests are served here, one after another, until something else comes. */
export class FrontConnection implements PendingAnswer {
  readonly socket: Socket;
  readonly #host: FrontHost;
  #state: State = 'idle';
  #since = monotonic();
  #exchange: FrontExchange | undefined;
  /** The part of a body that is there. */
  #pieces: Buffer[] = [];
  #missing = 0;
  /** What came after the request that is being answered. */
  #rest: Buffer | undefined;
  /** Clients send the same head again and again: its bytes, the empty line among them. */
  #knownBytes = NO_BYTES;
  #knownHead: RequestHead | undefined;
  /** A whole answer that has not left yet. */
  #answer = '';
  #isAscii = false;
  #isLast = false;

  constructor(host: FrontHost, socket: Socket) {
    this.#host = host;
    this.socket = socket;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    socket.on('timeout', this.#onTimeout);
  }

  get isGone(): boolean {
    return this.#state === 'over' || this.socket.destroyed;
  }

  get isIdle(): boolean {
    return this.#state === 'idle' && this.socket.writableLength === 0;
  }

  /** Whether it takes too long for what it does now. */
  isOverdue(now: number): boolean {
    const { firstMs, idleMs, bodyMs } = this.#host.limits;
    if (this.#state === 'reading') return now - this.#since >= bodyMs;
    if (this.#state !== 'idle') return false;
    if (this.socket.writableLength > 0) {
      // The last answer is still on its way.
      this.#since = now;
      this.#watchReader();
    }
    return now - this.#since >= (this.#knownHead === undefined ? firstMs : idleMs);
  }

  /** For one that takes too long. */
  expire(): void {
    if (this.#state === 'reading') this.#exchange?.expire();
    else this.#endSilent();
  }

  /**
   * A request may be on its way in this very moment. It gets an answer that says that nothing was done (RFC 9110,
   * section 15.5.9), which would be lost if the connection were reset by what nobody reads.
   */
  #endSilent(): void {
    this.#leave();
    this.socket.write(refusalText('408 Request Timeout'));
    endLingering(this.socket);
  }

  get turn(): AnswerTurn {
    return this.#host.turn;
  }

  /** Writes a whole answer. `isAscii`: so is its body, if that is text; its characters are then its bytes. */
  answer(head: string, body: string | Uint8Array | undefined, isLast: boolean, isAscii = false): void {
    if (typeof body === 'string') {
      // Until it has left, nothing more of this request is read.
      this.#state = 'answering';
      this.#answer = head + body;
      this.#isAscii = isAscii;
      this.#isLast = isLast;
      this.#host.turn.leave(this);
      return;
    }
    const { socket } = this;
    socket.cork();
    socket.write(head);
    if (body !== undefined && body.length > 0) socket.write(body);
    socket.uncork();
    this.answered(isLast);
  }

  flush(): void {
    const answer = this.#answer;
    this.#answer = '';
    if (this.isGone) return;
    this.socket.write(answer, this.#isAscii ? 'latin1' : 'utf8');
    this.answered(this.#isLast);
  }

  /** The same for a body that is not in one piece. `isAscii`: so are all parts that are text. */
  answerParts(head: string, parts: readonly (string | Uint8Array)[], isAscii: boolean): void {
    const { socket } = this;
    const encoding = isAscii ? 'latin1' : 'utf8';
    socket.cork();
    socket.write(head, 'latin1');
    for (const part of parts) socket.write(part, encoding);
    socket.uncork();
    this.answered(false);
  }

  /** The answer is complete, as far as we are concerned. */
  answered(isLast: boolean): void {
    if (this.#state === 'over') return;
    this.#exchange = undefined;
    if (isLast) {
      this.#leave();
      if (this.#missing > 0) endLingering(this.socket);
      else this.socket.destroySoon();
      return;
    }
    this.#state = 'idle';
    this.#since = monotonic();
    if (this.socket.writableNeedDrain) this.#awaitDrain();
    else if (this.#rest !== undefined) queueMicrotask(this.#next);
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#state === 'idle' && this.#rest === undefined) this.#begin(bytes);
    else if (this.#state === 'reading') this.#readBody(bytes);
    else if (this.#state !== 'over') this.#keep(bytes);
  };

  /** The peer closes its side. Whoever waits for an answer may still read it; the server gives it a moment. */
  readonly #onEnd = (): void => {
    if (this.#state === 'reading') return this.#refuseShort();
    if (this.#state !== 'idle') return;
    this.#leave();
    this.socket.destroySoon();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (this.#state !== 'over') this.#leave();
    exchange?.gone();
  };

  /** Nothing moved for a while. Only whoever has something to take is to blame for that. */
  readonly #onTimeout = (): void => {
    if (this.socket.writableLength > 0) this.socket.destroy();
    else this.socket.setTimeout(0);
  };

  readonly #next = (): void => {
    const rest = this.#rest;
    if (this.#state !== 'idle' || rest === undefined) return;
    this.#rest = undefined;
    this.#begin(rest);
    if (this.#rest === undefined) this.socket.resume();
  };

  #begin(bytes: Buffer): void {
    const host = this.#host;
    const head = startsWith(bytes, this.#knownBytes) ? this.#knownHead : this.#readHead(bytes);
    const target = head === undefined ? undefined : host.find(head.target);
    const start = this.#knownBytes.length;
    if (head === undefined || target === undefined || head.length > target.entry.maxBodyBytes) {
      this.#pass(bytes);
      return;
    }
    // Several requests at once: they are answered in order but may run side by side, which is for Node to see to.
    if (bytes.length > start + head.length) {
      this.#pass(bytes);
      return;
    }
    const exchange = new FrontExchange(this, host.texts, target, head);
    this.#exchange = exchange;
    const bodyEnd = start + head.length;
    if (bytes.length >= bodyEnd) {
      this.#state = 'answering';
      // A stream without a body must not keep what it was read with for as long as it lasts.
      exchange.start(head.length === 0 ? NO_BYTES : bytes.subarray(start, bodyEnd));
    } else {
      this.#state = 'reading';
      this.#since = monotonic();
      this.#missing = bodyEnd - bytes.length;
      this.#pieces = [bytes.subarray(start)];
      exchange.start(undefined);
    }
  }

  /** A body that ends early is no request. */
  #refuseShort(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#leave();
    exchange?.gone();
    this.socket.write(refusalText('400 Bad Request'));
    this.socket.destroySoon();
  }

  /** Remembers it where it is an ordinary one. */
  #readHead(bytes: Buffer): RequestHead | undefined {
    const text = bytes.toString('latin1', 0, Math.min(bytes.length, MAX_HEAD_BYTES));
    const end = text.indexOf(END_OF_HEAD);
    const head = end === -1 ? undefined : readOrdinaryHead(text.slice(0, end), this.#host.limits.maxHeaders);
    if (head === undefined) return undefined;
    // A copy outside of any pool: what the connection has read is not to stay for it.
    this.#knownBytes = Buffer.allocUnsafeSlow(end + END_OF_HEAD.length);
    bytes.copy(this.#knownBytes, 0, 0, this.#knownBytes.length);
    this.#knownHead = head;
    return head;
  }

  #readBody(bytes: Buffer): void {
    const taken = Math.min(bytes.length, this.#missing);
    this.#pieces.push(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    this.#missing -= taken;
    if (this.#missing > 0) return;
    const body = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#state = 'answering';
    if (taken < bytes.length) this.#keep(bytes.subarray(taken));
    this.#exchange?.receive(body);
  }

  /** Requests are answered in the order they came, so what comes early waits unread. */
  #keep(bytes: Buffer): void {
    this.#rest = this.#rest === undefined ? bytes : Buffer.concat([this.#rest, bytes]);
    this.socket.pause();
  }

  /** A client that does not read gets no further answers. */
  #awaitDrain(): void {
    this.socket.pause();
    this.socket.once('drain', () => {
      if (this.#rest === undefined) this.socket.resume();
      else this.#next();
    });
  }

  /** Its answer may take long, as long as it takes some of it now and then, which the timer of a socket knows. */
  #watchReader(): void {
    if ((this.socket.timeout ?? 0) === 0) this.socket.setTimeout(this.#host.limits.unreadMs);
  }

  #pass(bytes: Buffer): void {
    const { socket } = this;
    this.#leave();
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    socket.off('timeout', this.#onTimeout);
    socket.pause();
    socket.unshift(bytes);
    this.#host.pass(socket);
    socket.resume();
  }

  /** No longer ours to look after, except that its faults are heard. */
  #leave(): void {
    this.#state = 'over';
    this.#host.gone(this);
  }
}

/** Comparing bytes costs a fraction of making text of them. */
function startsWith(bytes: Buffer, known: Buffer): boolean {
  const { length } = known;
  return length > 0 && bytes.length >= length && bytes.compare(known, 0, length, 0, length) === 0;
}

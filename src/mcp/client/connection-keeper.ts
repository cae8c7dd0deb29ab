import type { TransportError } from '../transports/index.js';
import { ClientError, toError } from './client-error.js';
import { sleep } from './clock.js';
import type { Connection } from './connection.js';
import { speaksAgainstEra } from './establish.js';
import { initialize } from './handshake.js';
import { OTHER_ERA } from './judge-failure.js';
import type { LegacyRevision } from '../wire/index.js';
import type { Settings } from './settings.js';

export interface KeeperParts {
  readonly settings: Settings;
  /** Opens a new connection; undefined when there is no way to. */
  readonly reopen: (() => Promise<Connection>) | undefined;
  readonly pinned: LegacyRevision | undefined;
  /** A new session or process stands where an old one was: what the peer knew of us is gone. */
  readonly renewed: (connection: Connection) => void;
}

const MOST_HANDSHAKES = 2;
const HANDSHAKE_WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A connection that held this long was a good one. */
const STEADY_MS = 60_000;

/** Holds the connection in use and replaces what was lost: the session after a refusal, the process after its end. */
export class ConnectionKeeper {
  readonly #parts: KeeperParts;
  #current: Connection;
  #ready = true;
  #renewing: Promise<Connection> | undefined;
  #handshakes: number[] = [];
  #openedAt: number;
  #failures = 0;
  #lostAt = 0;
  #lostBecause: Error | undefined;
  #closed: ClientError | undefined;
  readonly #closing = new AbortController();

  constructor(first: Connection, parts: KeeperParts) {
    this.#parts = parts;
    this.#current = first;
    this.#openedAt = parts.settings.clock.now();
  }

  /** The connection if it can be used at once. */
  get ready(): Connection | undefined {
    return this.#ready && this.#current.alive ? this.#current : undefined;
  }

  /** The last connection, in whatever state. */
  get current(): Connection {
    return this.#current;
  }

  /** Aborts when the client is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The connection once it can be used. */
  async open(): Promise<Connection> {
    this.#requireOpen();
    if (this.ready !== undefined) return this.#current;
    return await (this.#renewing ??= this.#renew());
  }

  /**
   * The peer no longer knows our session, or that is only suspected. Starts a new one, unless that was done too often: then
   * nothing is asked without one, until that may be tried again.
   */
  sessionLost(connection: Connection, loss: 'suspected' | 'certain'): boolean {
    if (connection !== this.#current || !this.#ready || this.#closed !== undefined) return true;
    const mayBegin = this.#mayBeginSession();
    this.#ready = !mayBegin && loss === 'suspected';
    if (!mayBegin) return false;
    this.#renewing = this.#renew();
    this.#renewing.catch(() => {
      // Whoever waits for it is told; the next request tries again.
    });
    return true;
  }

  connectionLost(connection: Connection, reason: TransportError): void {
    if (connection !== this.#current) return;
    this.#ready = false;
    this.#lostBecause = reason;
    this.#lostAt = this.#parts.settings.clock.now();
    if (this.#lostAt - this.#openedAt >= STEADY_MS) this.#failures = 0;
  }

  async close(error: ClientError): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = error;
      this.#ready = false;
      this.#closing.abort();
    }
    await Promise.allSettled([this.#renewing, this.#current.close(error)]);
  }

  /** What cannot be used although it lives has no session. */
  #renew(): Promise<Connection> {
    const renewing = this.#current.alive ? this.#reinitialize(this.#current) : this.#reopen();
    return renewing.finally(() => {
      this.#renewing = undefined;
    });
  }

  #mayBeginSession(): boolean {
    const now = this.#parts.settings.clock.now();
    this.#handshakes = this.#handshakes.filter((at) => now - at < HANDSHAKE_WINDOW_MS);
    return this.#handshakes.length < MOST_HANDSHAKES;
  }

  async #reinitialize(connection: Connection): Promise<Connection> {
    const { settings, pinned, renewed } = this.#parts;
    if (!this.#mayBeginSession()) throw new ClientError('session_lost', 'the server forgets each session');
    try {
      await initialize(connection, settings, pinned, this.#closing.signal);
    } catch (error) {
      if (speaksAgainstEra(toError(error))) connection.warned(OTHER_ERA);
      throw error;
    }
    this.#requireOpen();
    this.#handshakes.push(settings.clock.now());
    this.#ready = true;
    renewed(connection);
    return connection;
  }

  async #reopen(): Promise<Connection> {
    const { settings, reopen, renewed } = this.#parts;
    const { clock, random, timeouts } = settings;
    const { closedBy } = this.#current.conversation;
    const reason = this.#lostBecause ?? closedBy ?? new ClientError('closed', 'the connection is closed');
    if (reopen === undefined) throw reason;
    const delay = this.#delay(random(), clock.now());
    if (delay > timeouts.requestMs) throw reason;
    this.#failures++;
    if (delay > 0) await sleep(clock, delay, this.#closing.signal);
    this.#requireOpen();
    const connection = await reopen().catch((error: unknown) => {
      this.#lostBecause = toError(error);
      this.#lostAt = clock.now();
      throw error;
    });
    if (this.#closed !== undefined) await connection.close(this.#closed);
    this.#requireOpen();
    this.#current = connection;
    this.#ready = true;
    this.#openedAt = clock.now();
    renewed(connection);
    return connection;
  }

  #requireOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  /** The first attempt is immediate; those that follow a quick failure wait, with jitter so that many do not march in step. */
  #delay(random: number, now: number): number {
    if (this.#failures === 0) return 0;
    const full = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), LONGEST_DELAY_MS);
    return Math.max(this.#lostAt + full * (0.5 + random / 2) - now, 0);
  }
}

import { withDefaults } from '../jsonrpc/index.js';
import type { ServerCapabilities, ServerDescription } from '../model/index.js';
import {
  isOfProtocol,
  type CacheHints,
  type Era,
  type LegacyRevision,
  type ParamHeader,
} from '../wire/index.js';
import { DueQueue } from './due-queue.js';
import type { Handler, Listen } from './handler.js';
import { ListeningStreams } from './http/listening-streams.js';
import { createStateSeal, type StateSeal } from './input/state-seal.js';
import type { MaybePromise } from './maybe-promise.js';
import { isOffered, OWN_METHODS } from './offered-methods.js';
import {
  DEFAULT_LIMITS,
  DEFAULT_STREAMS,
  type Load,
  type ServerLimits,
  type ServerOptions,
} from './options.js';
import { RunningCalls } from './running-calls.js';
import type { ServerEvent, SessionEndReason } from './server-event.js';
import { legacyTaskHandlers } from './tasks/legacy-tasks.js';
import { modernTaskHandlers } from './tasks/modern-tasks.js';
import { monotonic } from './monotonic.js';

const TASKS = 'tasks/';
const DEFAULT_CACHE: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** A stream that has to give a sign of life now and then. */
export interface QuietStream {
  beat(): void;
}
/** A reply that can change its form while it waits for the answer. */
export interface WaitingReply {
  becomeStream(): void;
  disconnect(): void;
}
/** A question with a deadline. */
export interface OpenQuestion {
  expire(): void;
}

/** What all requests of a server share. */
export class Core {
  readonly limits: ServerLimits;
  readonly cache: CacheHints;
  readonly listen: Listen | undefined;
  readonly paramHeaders:
    | ((toolName: string, principal: string) => readonly ParamHeader[] | undefined)
    | undefined;
  readonly seal: StateSeal;
  readonly claimState: ((sealed: string) => Promise<boolean>) | undefined;
  readonly streaming: boolean;
  readonly strictAccept: boolean;
  readonly oldestRevision: LegacyRevision | undefined;
  readonly retryMs: number;
  /** Milliseconds since 1970, for what is kept or sealed. */
  readonly now: () => number;
  /** Milliseconds that only grow, for durations. */
  readonly monotonic: () => number;
  /** The name of this process among those that serve the same sessions; empty where it is the only one. */
  readonly self: string;
  /** Calls whose handlers have not settled yet. */
  readonly calls: RunningCalls;
  readonly load: Load | undefined;
  readonly targetOf: ServerOptions['targetOf'];
  /** Open streams, each until its next keep-alive. */
  readonly beats: DueQueue<QuietStream>;
  readonly listening = new ListeningStreams();
  /** Requests that become streams if they are not answered soon. */
  readonly slow: DueQueue<WaitingReply>;
  /** Resumable answers that the client will have to poll for. */
  readonly parting: DueQueue<WaitingReply> | undefined;
  /** Questions to clients that wait for an answer. */
  readonly askDeadlines: DueQueue<OpenQuestion>;
  /** No new requests are taken. */
  draining = false;

  readonly #describe: ServerOptions['describe'];
  readonly #handlers = new Map<string, Handler>();
  readonly #fallback: Handler | undefined;
  readonly #tasks: Readonly<Record<Era, ReadonlyMap<string, Handler>>> | undefined;
  readonly #onSessionEnded: ServerOptions['onSessionEnded'];
  readonly #onEvent: ((event: ServerEvent) => void) | undefined;
  readonly #pauses: DueQueue<() => void>;

  constructor(options: ServerOptions) {
    this.limits = withDefaults(DEFAULT_LIMITS, options.limits);
    this.load = options.load;
    this.targetOf = options.targetOf;
    this.calls = new RunningCalls(options.load);
    this.cache = options.cache ?? DEFAULT_CACHE;
    this.listen = options.listen;
    this.paramHeaders = options.paramHeaders;
    this.now = options.clock ?? Date.now;
    this.monotonic = options.clock ?? monotonic;
    this.self = options.peers?.self ?? '';
    this.seal = options.seal ?? createStateSeal({ clock: this.now });
    this.claimState = options.claimState;
    this.streaming = options.streaming !== 'off';
    this.strictAccept = options.strictAccept === true;
    this.oldestRevision = options.oldestRevision;
    this.#describe = options.describe;
    this.#fallback = options.fallback;
    this.#tasks = options.tasks && {
      modern: modernTaskHandlers(options.tasks),
      legacy: legacyTaskHandlers(options.tasks),
    };
    this.#onEvent = options.onEvent;
    this.#onSessionEnded = options.onSessionEnded;
    for (const [method, handler] of Object.entries(options.handlers)) {
      if (OWN_METHODS.has(method)) throw new TypeError(`${method} is answered by the server itself`);
      this.#handlers.set(method, handler);
    }
    const streams = withDefaults(DEFAULT_STREAMS, options.streams);
    const closeAfterMs = options.streams?.closeAfterMs;
    this.retryMs = streams.retryMs;
    this.beats = new DueQueue(streams.keepAliveMs, this.monotonic, (stream) => stream.beat());
    this.slow = new DueQueue(streams.upgradeAfterMs, this.monotonic, (reply) => reply.becomeStream());
    this.parting =
      closeAfterMs === undefined
        ? undefined
        : new DueQueue(closeAfterMs, this.monotonic, (reply) => reply.disconnect());
    this.askDeadlines = new DueQueue(this.limits.askTimeoutMs, this.monotonic, (question) =>
      question.expire(),
    );
    this.#pauses = new DueQueue(this.limits.roundPauseMs, this.monotonic, (resume) => resume());
  }

  describe(principal: string): MaybePromise<ServerDescription> {
    return typeof this.#describe === 'function' ? this.#describe(principal) : this.#describe;
  }

  /** The handler of a method, if there is one and its capability is advertised. */
  findHandler(method: string, capabilities: ServerCapabilities, era: Era): Handler | undefined {
    if (method.startsWith(TASKS)) return this.#findTaskHandler(method, capabilities, era);
    const handler = this.#handlers.get(method);
    if (handler === undefined && !isOfProtocol(method)) return this.#fallback;
    return handler !== undefined && isOffered(method, capabilities) ? handler : undefined;
  }

  /** Whether only the fallback could know a method. */
  isForeign(method: string): boolean {
    return !this.#handlers.has(method);
  }

  /** Tasks of the two eras share names and little else. */
  #findTaskHandler(method: string, capabilities: ServerCapabilities, era: Era): Handler | undefined {
    const handler =
      this.#tasks?.[era].get(method) ?? (era === 'modern' ? this.#handlers.get(method) : undefined);
    return handler !== undefined && isOffered(method, capabilities) ? handler : undefined;
  }

  /** Observers must not be able to break what they observe. */
  observe(event: ServerEvent): void {
    if (this.#onEvent === undefined) return;
    try {
      this.#onEvent(event);
    } catch {
      // There is nobody left to tell.
    }
  }

  sessionEnded(principal: string, session: string, reason: SessionEndReason): void {
    try {
      this.#onSessionEnded?.(principal, session, reason);
    } catch (error) {
      this.observe({ type: 'port_failed', port: 'onSessionEnded', error });
    }
  }

  /** The time between two runs of a handler that asked for patience. */
  pause(): Promise<void> {
    return new Promise((resolve) => this.#pauses.add(resolve));
  }

  stopTimers(): void {
    this.askDeadlines.clear();
    this.beats.clear();
    this.slow.clear();
    this.parting?.clear();
  }
}

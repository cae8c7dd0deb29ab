import type { Actor, ArgumentsRecorder, CallFacts, EventLog, HubEvent } from '../governance/index.js';
import type { AgentId, CallId, Clock } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import type { Ending } from './failure-of.js';
import type { Guarded } from './guard-answer.js';
import { OpenRound } from './open-round.js';
import { recordRefusal } from './record-refusal.js';

export interface CallRecordDependencies {
  readonly events: Pick<EventLog, 'intend' | 'append'>;
  readonly recordArguments: ArgumentsRecorder;
  readonly clock: Clock;
}

type Intended = Extract<HubEvent, { readonly type: 'call.intended' }>;
type Finished = Extract<HubEvent, { readonly type: 'call.finished' }>;

/**
 * What the event log is told of one request to an upstream: that it is about to be made, and how it ended.
 *
 * Members of the two events are written out one by one: every call has both, and an object that is put together from
 * others costs several times as much.
 */
export class CallRecord {
  readonly #deps: CallRecordDependencies;
  readonly #actor: Actor;
  readonly #facts: CallFacts;
  readonly #startedAt: number;

  /** `continued`: the round before, of a request that was written down then. */
  constructor(
    deps: CallRecordDependencies,
    actor: Actor,
    facts: CallFacts,
    continued: OpenRound | undefined,
  ) {
    this.#deps = deps;
    this.#actor = actor;
    this.#facts = continued === undefined ? facts : { ...facts, callId: continued.callId };
    this.#startedAt = continued?.startedAt ?? deps.clock.monotonic();
  }

  get callId(): CallId {
    return this.#facts.callId;
  }

  intend(
    args: JsonObject | undefined,
    policies: readonly string[],
    { meta }: UpstreamOptions,
  ): Promise<void> {
    const { callId, connector, target, exposedName, method } = this.#facts;
    const recorded = this.#deps.recordArguments(args);
    const intent: Intended = {
      type: 'call.intended',
      callId,
      connector,
      target,
      exposedName,
      method,
      arguments: recorded,
      policies,
    };
    const trace = meta?.['traceparent'];
    return this.#deps.events.intend(this.#actor, typeof trace === 'string' ? { ...intent, trace } : intent);
  }

  /** Where that could not be written, so that nothing is made: it waits with what else waits, until the log can be written again. */
  refuse(refusal: unknown, policies: readonly string[]): void {
    const { callId, connector, exposedName, method } = this.#facts;
    if (refusal instanceof Error)
      recordRefusal(this.#deps.events, {
        actor: this.#actor,
        callId,
        method,
        exposedName,
        refusal,
        connector,
        policies,
      });
  }

  finish({ outcome, error }: Ending, seen?: Guarded): void {
    const { callId, connector, target, exposedName, method } = this.#facts;
    const type = 'call.finished';
    const durationMs = this.#deps.clock.monotonic() - this.#startedAt;
    const isUsual = error === undefined && seen?.warnings.length === 0;
    const event: Finished = isUsual
      ? { type, callId, connector, target, exposedName, method, outcome, durationMs, resultBytes: seen.bytes }
      : {
          type,
          ...this.#facts,
          outcome,
          ...(error !== undefined && { error }),
          durationMs,
          ...(seen !== undefined && { resultBytes: seen.bytes }),
          ...(seen !== undefined && seen.warnings.length > 0 && { warnings: seen.warnings }),
        };
    this.#deps.events.append(this.#actor, event);
  }

  /** The request while its caller is away for an answer. Whoever ends it then writes down how. */
  toOpenRound(owner: AgentId, target: string): OpenRound {
    const begun = { owner, target, callId: this.callId, startedAt: this.#startedAt };
    return new OpenRound(begun, (ending) => this.finish(ending));
  }
}

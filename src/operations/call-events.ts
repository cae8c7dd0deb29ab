import type { CallFacts, CallOutcome, HubEvent, RecordedArguments } from '../governance/index.js';
import type { HubErrorCode } from '../kernel/index.js';
import type { Guarded } from './guard-answer.js';

/**
 * The two events of a call. Their members are written out one by one: every call has both, and an object that is put
 * together from others costs several times as much.
 */

export interface Failure {
  readonly error?: HubErrorCode;
}

export const NO_FAILURE: Failure = {};

type Intended = Extract<HubEvent, { readonly type: 'call.intended' }>;
type Finished = Extract<HubEvent, { readonly type: 'call.finished' }>;

export function intendedEvent(
  { callId, connector, target, exposedName, method }: CallFacts,
  args: RecordedArguments,
  policies: readonly string[],
): Intended {
  return {
    type: 'call.intended',
    callId,
    connector,
    target,
    exposedName,
    method,
    arguments: args,
    policies,
  };
}

export function finishedEvent(
  facts: CallFacts,
  outcome: CallOutcome,
  failure: Failure,
  durationMs: number,
  seen: Guarded | undefined,
): Finished {
  const { callId, connector, target, exposedName, method } = facts;
  const type = 'call.finished';
  if (failure.error !== undefined || seen === undefined || seen.warnings.length > 0)
    return { type, ...facts, outcome, ...failure, durationMs, ...(seen && seenIn(seen)) };
  const resultBytes = seen.bytes;
  return { type, callId, connector, target, exposedName, method, outcome, durationMs, resultBytes };
}

function seenIn({ bytes, warnings }: Guarded): Pick<Finished, 'resultBytes' | 'warnings'> {
  return { resultBytes: bytes, ...(warnings.length > 0 && { warnings }) };
}

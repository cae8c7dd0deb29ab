import type { Actor, EventLog } from '../governance/index.js';
import type { CallId, ConnectorId } from '../kernel/index.js';
import { failureOf } from './failure-of.js';

export interface RefusedRequest {
  readonly actor: Actor;
  readonly callId: CallId;
  readonly method: string;
  readonly exposedName: string;
  readonly refusal: Error;
  /** As far as it was found out before the refusal. */
  readonly connector?: ConnectorId | undefined;
  readonly policies?: readonly string[] | undefined;
}

/** Names come from clients and may be of any length. */
const MOST_OF_NAME = 200;

/** Writes down that somebody asked for something they may not have, or cannot know. */
export function recordRefusal(events: Pick<EventLog, 'append'>, refused: RefusedRequest): void {
  const { callId, method, exposedName, connector, policies } = refused;
  const { outcome, error = 'internal' } = failureOf(refused.refusal);
  events.append(refused.actor, {
    type: 'call.refused',
    callId,
    exposedName: exposedName.slice(0, MOST_OF_NAME),
    method,
    outcome,
    error,
    ...(connector !== undefined && { connector }),
    ...(policies !== undefined && { policies }),
  });
}

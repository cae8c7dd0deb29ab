import type { Connector } from '../connectors/index.js';
import { HubError, type AgentId } from '../kernel/index.js';
import type { Caller, Watching } from './upstream.js';

/** Whose own a conversation is: of an agent, or of one session of its clients. Undefined: of nobody in particular. */
export interface ConversationOwner {
  readonly owner: AgentId | undefined;
  readonly session: string | undefined;
}

export function ownerOf({ isolation }: Connector, { principal, session }: Caller): ConversationOwner {
  return {
    owner: isolation === 'shared' || principal === 'hub' ? undefined : principal,
    session: isolation === 'per_session' ? session : undefined,
  };
}

/** As whom resources are watched: where each session has its own conversation, in that. Over HTTP all others with one credential are one. */
export function watcherOf(
  { endpoint, isolation }: Connector,
  { principal, session, asks }: Watching,
): Caller {
  if (isolation === 'per_session') return { principal, session, asks };
  return { principal: endpoint.transport === 'stdio' ? principal : 'hub' };
}

/** Throws for whoever gave up: a conversation that was opened for it nobody would end. */
export function requireThere(caller: Caller, { id }: Connector): void {
  let isGone = false;
  if (caller.onAbort === undefined) isGone = caller.signal?.aborted === true;
  else caller.onAbort(() => (isGone = true));
  if (isGone) throw new HubError('cancelled', `connector ${id}: the call was cancelled before it was sent`);
}

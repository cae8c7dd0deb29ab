import type { Clock, SharedStore, Switchboard } from '../../kernel/index.js';
import { endpointName, type OpenSessions } from '../open-sessions.js';
import { SessionLine } from './session-line.js';
import { SharedEventStore, type SharedEventOptions } from './shared-event-store.js';
import { SharedSessionStore } from './shared-session-store.js';

/** Through what replicas serve the same sessions. */
export interface SharedSessions {
  readonly store: SharedStore;
  readonly board: Switchboard;
  readonly seal: SharedEventOptions['seal'];
  readonly clock: Clock;
}

/** For the endpoint of this name, which is the same in all replicas. */
export function openSharedSessions(
  { store, board, seal, clock }: SharedSessions,
  name: string,
): OpenSessions & { readonly options: Required<OpenSessions['options']> } {
  const endpoint = endpointName(name);
  const sessions = new SharedSessionStore({ store, board, endpoint, clock });
  const peers = new SessionLine(board, endpoint);
  return {
    options: {
      sessions,
      events: new SharedEventStore({ store, endpoint, seal }),
      peers,
    },
    close() {
      sessions.close();
      peers.close();
    },
  };
}

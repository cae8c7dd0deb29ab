import { randomBytes } from 'node:crypto';
import type { SessionPeers } from '../../mcp/server/index.js';
import { endpointName, type OpenSessions } from '../open-sessions.js';
import { KeptSessionStore, type KeptSessionOptions } from './kept-session-store.js';

/** How sessions outlive the one process that serves them. */
export type KeptSessions = Pick<KeptSessionOptions, 'tickets' | 'clock' | 'groupOf' | 'onFailure'>;

/** For the endpoint of this name, which is the same after a restart. */
export function openKeptSessions(kept: KeptSessions, name: string): OpenSessions {
  const sessions = new KeptSessionStore({ ...kept, endpoint: endpointName(name) });
  return { options: { sessions, peers: createPredecessors() }, close: () => sessions.close() };
}

/** Processes that served the same sessions before this one, one after another. All of them have ended. */
function createPredecessors(): SessionPeers {
  return {
    self: randomBytes(4).toString('hex'),
    isAlone: true,
    tell: () => {},
    ask: () => Promise.resolve(undefined),
    isGone: () => Promise.resolve(true),
    listen: () => {},
  };
}

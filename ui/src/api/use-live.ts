import { createContext, use, useEffect, useSyncExternalStore } from 'react';
import type { EventView } from '../../../src/contract/index.js';
import type { LiveEvents, LiveState } from './live.js';

export const LiveContext = createContext<LiveEvents | undefined>(undefined);

const NEVER = () => () => undefined;

export function useLiveState(): LiveState {
  const live = use(LiveContext);
  return useSyncExternalStore(
    live === undefined ? NEVER : (listener) => live.onState(listener),
    () => live?.state ?? 'connecting',
  );
}

/** Calls with every event that is kept from now on. */
export function useLiveEvents(listener: (event: EventView) => void): void {
  const live = use(LiveContext);
  useEffect(() => live?.onEvent(listener), [live, listener]);
}

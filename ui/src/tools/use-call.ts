import { useEffect, useRef, useState } from 'react';
import { toApiError } from '../api/request.js';
import { watchCall, type CallRequest } from '../api/tools.js';
import { afterMessage, IDLE, type CallState } from './call-state.js';

export interface OwnCall {
  readonly state: CallState;
  readonly run: (request: Omit<CallRequest, 'signal'>) => Promise<void>;
  readonly cancel: () => void;
}

/** One call at a time. Whoever leaves the page takes it back. */
export function useCall(): OwnCall {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run(request: Omit<CallRequest, 'signal'>): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    setState({ ...IDLE, phase: 'running' });
    const startedAt = performance.now();
    const over = (change: (before: CallState) => CallState): void =>
      setState((before) => ({ ...change(before), roundTripMs: performance.now() - startedAt }));
    try {
      for await (const message of watchCall({ ...request, signal: controller.signal })) {
        if (message.type === 'error')
          over((before) => ({
            ...afterMessage(before, message),
            error: toApiError(message.error),
          }));
        else if (message.type === 'result') over((before) => afterMessage(before, message));
        else setState((before) => afterMessage(before, message));
      }
      setState((before) =>
        before.phase === 'running' ? { ...before, phase: 'failed', error: toApiError() } : before,
      );
    } catch (error) {
      over((before) => ({
        ...before,
        questions: [],
        ...(controller.signal.aborted ? { phase: 'cancelled' } : { phase: 'failed', error }),
      }));
    }
  }

  return { state, run, cancel: () => running.current?.abort() };
}

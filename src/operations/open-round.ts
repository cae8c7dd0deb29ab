import type { AgentId, CallId, HubError } from '../kernel/index.js';
import type { Ending } from './failure-of.js';
import type { HeldCall } from './held-calls.js';

/** A call that was written down as begun and is at the upstream no longer, nor over: its caller holds what it needs. */
export class OpenRound implements HeldCall {
  readonly owner: AgentId;
  readonly target: string;
  readonly callId: CallId;
  readonly startedAt: number;
  readonly #finish: (ending: Ending) => void;
  readonly #taken: (() => void) | undefined;

  constructor(
    init: Pick<OpenRound, 'owner' | 'target' | 'callId' | 'startedAt'>,
    finish: (ending: Ending) => void,
    taken?: () => void,
  ) {
    this.owner = init.owner;
    this.target = init.target;
    this.callId = init.callId;
    this.startedAt = init.startedAt;
    this.#finish = finish;
    this.#taken = taken;
  }

  /** Somebody goes on with it, and will write down how it ends. */
  take(): void {
    this.#taken?.();
  }

  async end(reason: HubError): Promise<void> {
    this.#finish({ outcome: 'cancelled', error: reason.code });
  }
}

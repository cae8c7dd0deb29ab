import type { CallId, Clock, TicketStore } from '../kernel/index.js';

const KIND = 'taken-call';
/** No call may take longer. */
const KEEP_MS = 86_400_000;

export interface TakenCallsOptions {
  readonly tickets: Pick<TicketStore, 'put' | 'remove'>;
  readonly clock: Clock;
  /** This process, among those that share the store. */
  readonly self: string;
}

/** Calls that another process than the one that wrote them down as begun goes on with, and will write down as ended. */
export class TakenCalls {
  readonly #options: TakenCallsOptions;

  constructor(options: TakenCallsOptions) {
    this.#options = options;
  }

  async note(call: CallId): Promise<void> {
    const { tickets, clock, self } = this.#options;
    const value = JSON.stringify(self);
    await tickets.put({ kind: KIND, name: call, value, expiresAt: clock.now() + KEEP_MS });
  }

  async forget(call: CallId): Promise<void> {
    await this.#options.tickets.remove(KIND, call).catch(() => {});
  }
}

/** The process that went on with a call, where that is not the one that began it. */
export async function findTaker(
  tickets: Pick<TicketStore, 'find'>,
  call: CallId,
): Promise<string | undefined> {
  const found = await tickets.find(KIND, call);
  return found && (JSON.parse(found.value) as string);
}

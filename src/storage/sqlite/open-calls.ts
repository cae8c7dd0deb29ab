import type { EventRecord } from '../../governance/index.js';
import { TurnoverMap } from '../../mcp/jsonrpc/index.js';
import { endsCall } from '../event-rows.js';

/** The calls that are intended and not finished, oldest first, as far as this process has written them. */
export class OpenCalls {
  readonly #sequences = new TurnoverMap<string, number>();

  add({ sequence, event }: Pick<EventRecord, 'sequence' | 'event'>): void {
    if (event.type === 'call.intended') this.#sequences.set(event.callId, sequence);
    else if (endsCall(event)) this.#sequences.delete(event.callId);
  }

  restore(callId: string, sequence: number): void {
    this.#sequences.set(callId, sequence);
  }

  /** The newest row up to which everything is finished, given the last row of the log. */
  settledUpTo(last: number): number {
    for (const oldest of this.#sequences.values()) return Math.min(oldest - 1, last);
    return last;
  }

  forgetUpTo(sequence: number): void {
    for (const [callId, intended] of this.#sequences) {
      if (intended > sequence) return;
      this.#sequences.delete(callId);
    }
  }
}

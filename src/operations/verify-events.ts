import { verifyChain, type ChainVerdict, type EventLog, type EventStore } from '../governance/index.js';

export interface VerifyEventsDependencies {
  readonly events: Pick<EventLog, 'flush'>;
  readonly eventStore: Pick<EventStore, 'query' | 'last' | 'unfinishedCalls' | 'anchor'>;
}

const MAX_ROUNDS = 3;

export type VerifyEvents = () => Promise<ChainVerdict>;

/** Walks the whole log. Whoever asks while a walk is under way gets its outcome. */
export function createVerifyEvents(deps: VerifyEventsDependencies): VerifyEvents {
  let running: Promise<ChainVerdict> | undefined;
  return function verifyEvents() {
    running ??= verify(deps).finally(() => (running = undefined));
    return running;
  };
}

async function verify({ events, eventStore }: VerifyEventsDependencies): Promise<ChainVerdict> {
  await events.flush();
  for (let round = 1; ; round++) {
    const before = await eventStore.anchor();
    const verdict = await verifyChain(eventStore);
    const after = await eventStore.anchor();
    // Rows that retention took away during the walk are not missing.
    if (
      verdict.ok ||
      verdict.problem === 'altered' ||
      before.sequence === after.sequence ||
      round === MAX_ROUNDS
    )
      return verdict;
  }
}

import type { EventView } from '../../../contract/index.js';
import type { EventRecord } from '../../../governance/index.js';
import { toTime } from './secret-state.js';

/** One flat object: what an event says stands beside who, when and where in the chain. */
export function toEventView({ sequence, at, actor, event, previousHash, hash }: EventRecord): EventView {
  const { type, ...facts } = event;
  return { sequence, at: toTime(at), type, actor: { ...actor }, ...withoutSealed(facts), previousHash, hash };
}

/** Encrypted arguments are for whoever has the master key, not for readers of the log. */
function withoutSealed(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { arguments: recorded } = facts as {
    arguments?: { readonly bytes: number; readonly sealed?: string };
  };
  if (recorded?.sealed === undefined) return { ...facts };
  return { ...facts, arguments: { bytes: recorded.bytes, sealed: true } };
}

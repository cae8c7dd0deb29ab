import { payloadOf, type Actor, type EventRecord, type HubEvent } from '../../governance/index.js';

/** An event as a line of text, in the journal and in blocks. The hash before it is that of the line before. */
export interface EventLine {
  readonly sequence: number;
  readonly at: number;
  readonly hash: string;
  readonly actor: Actor;
  readonly event: HubEvent;
}

const LINE = /^(\d+) (\d+) ([0-9a-f]{64}) (\{.*\})$/s;
const BEFORE_PAYLOAD = /^\d+ \d+ ([0-9a-f]{64}) /;

/** With its end. JSON has no ends of lines of its own. */
export function toLine(record: EventRecord): string {
  return `${record.sequence} ${record.at} ${record.hash} ${payloadOf(record)}\n`;
}

export function parseLine(line: string): EventLine | undefined {
  const [, sequence, at, hash, payload] = LINE.exec(line) ?? [];
  if (hash === undefined || payload === undefined) return undefined;
  try {
    const { actor, event } = JSON.parse(payload) as { readonly actor: Actor; readonly event: HubEvent };
    return { sequence: Number(sequence), at: Number(at), hash, actor, event };
  } catch {
    return undefined;
  }
}

export function hashOfLine(line: string): string | undefined {
  return BEFORE_PAYLOAD.exec(line)?.[1];
}

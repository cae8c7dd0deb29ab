import type { EventView } from '../contract/index.js';
import type { Cli } from './cli.js';
import { escapeLine } from './terminal/escape-text.js';
import { formatMoment } from './terminal/format.js';

const OUTCOME = new Set(['outcome', 'to']);
/** Told elsewhere on the line, or of use to programs only. */
const NOT_SHOWN = new Set([
  'sequence',
  'at',
  'type',
  'actor',
  'previousHash',
  'hash',
  'callId',
  'target',
  'method',
  'trace',
  'before',
  'after',
  'arguments',
]);
const TYPE_WIDTH = 21;

/** An event on one line: when, what, who, and what else there is to say. */
export function describeEvent({ terminal: { colors } }: Cli, event: EventView): string {
  const { at, type, actor } = event;
  const who = typeof actor['id'] === 'string' ? actor['id'] : actor.kind;
  const facts = Object.entries(event)
    .filter(([name, value]) => isWorthTelling(event, name, value))
    .map(([name, value]) => describeFact(name, value, colors));
  return [colors.dim(formatMoment(at)), type.padEnd(TYPE_WIDTH), escapeLine(who).padEnd(8), facts.join('  ')]
    .join('  ')
    .trimEnd();
}

/** Counts of nothing and lists of nobody are no news; the name of a tool begins with its connector. */
function isWorthTelling(event: EventView, name: string, value: unknown): boolean {
  if (NOT_SHOWN.has(name) || value === undefined || value === 0) return false;
  if (Array.isArray(value) && value.length === 0) return false;
  return !(name === 'connector' && event['exposedName'] !== undefined);
}

type Colors = Cli['terminal']['colors'];

function describeFact(name: string, value: unknown, colors: Colors): string {
  if (name === 'durationMs' && typeof value === 'number')
    return colors.dim(`${value < 10 ? value.toFixed(1) : Math.round(value)} ms`);
  if (name === 'resultBytes' && typeof value === 'number') return colors.dim(`${value} bytes`);
  const text = escapeLine(toText(value));
  if (name === 'exposedName' || name === 'connector' || name === 'agent') return colors.cyan(text);
  if (OUTCOME.has(name)) return paintOutcome(text, colors);
  return name === 'reason' || name === 'error' ? text : `${name}=${text}`;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(',')
    : JSON.stringify(value);
}

function paintOutcome(outcome: string, colors: Colors): string {
  if (outcome === 'ok' || outcome === 'healthy') return colors.green(outcome);
  return outcome === 'unknown' || outcome === 'disabled' || outcome === 'cancelled'
    ? colors.yellow(outcome)
    : colors.red(outcome);
}

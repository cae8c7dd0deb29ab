import { createHash } from 'node:crypto';
import type { NamePair } from './snapshot.js';

export interface NamingRule {
  /** Stands before every name, e.g. the connector's id and two underscores. */
  readonly prefix: string;
  readonly maxLength: number;
}

const HASH_LENGTH = 8;

/**
 * Legal, unique names for the offers of one connector. A name given before is kept as long as its offer exists; a new
 * offer whose plain name is taken, or too long, gets a suffix computed from its own name. So nobody's name depends on
 * what else came or went. `elsewhere` are names that others have already.
 */
export function assignNames(
  rule: NamingRule,
  offered: readonly string[],
  before: readonly NamePair[] = [],
  elsewhere: ReadonlySet<string> = new Set(),
): NamePair[] {
  const kept = new Map(before);
  const assigned = new Map<string, string>();
  const taken = new Set(elsewhere);
  for (const name of offered) {
    const exposed = kept.get(name);
    if (exposed !== undefined && fits(rule, exposed)) give(name, exposed);
  }
  // Names that need no change come first: they have the better claim to their own spelling.
  const fresh = offered.filter((name) => !assigned.has(name));
  for (const name of [
    ...fresh.filter(isPlain),
    ...fresh.filter((one) => !isPlain(one)).toSorted(byCodeUnits),
  ]) {
    if (assigned.has(name)) continue;
    const plain = rule.prefix + sanitize(name);
    const usable = plain.length <= rule.maxLength && !taken.has(plain);
    give(name, usable ? plain : suffixed(rule, name, taken));
  }
  return offered.filter(unique()).map((name) => [name, assigned.get(name) as string]);

  function give(name: string, exposed: string): void {
    assigned.set(name, exposed);
    taken.add(exposed);
  }
}

function fits(rule: NamingRule, exposed: string): boolean {
  return exposed.startsWith(rule.prefix) && exposed.length <= rule.maxLength;
}

function isPlain(name: string): boolean {
  return sanitize(name) === name;
}

function sanitize(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_') || '_';
}

/** The round is only needed if somebody offers a tool that is called like another one's hash. */
function suffixed(rule: NamingRule, name: string, taken: ReadonlySet<string>): string {
  for (let round = 0; ; round++) {
    const hash = createHash('sha256').update(`${round}:${name}`).digest('hex').slice(0, HASH_LENGTH);
    const room = rule.maxLength - HASH_LENGTH - 1;
    const exposed = `${(rule.prefix + sanitize(name)).slice(0, room)}_${hash}`;
    if (!taken.has(exposed)) return exposed;
  }
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unique(): (name: string) => boolean {
  const seen = new Set<string>();
  return (name) => !seen.has(name) && seen.add(name) !== undefined;
}

/** On the aggregated endpoint. Connector ids never contain two underscores in a row nor end in one, so prefixes differ. */
export function aggregateRule(connectorId: string): NamingRule {
  return { prefix: `${connectorId}__`, maxLength: 64 };
}

/** For model providers, by the convention of tool-calling libraries. */
export function providerRule(connectorId: string, maxLength = 128): NamingRule {
  return { prefix: `mcp_${sanitize(connectorId)}__`, maxLength };
}
